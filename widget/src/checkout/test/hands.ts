import type { LitElement } from 'lit';

/**
 * The input, or choice, that a person finds by its label, wherever in the open shadow trees
 * below `root` it is.
 */
export function by(root: Element, label: string): HTMLInputElement {
  const found = deep(root, 'input, select').find(
    (input) => (input as HTMLInputElement).labels?.[0]?.textContent?.trim() === label,
  );
  if (!found) throw new Error(`Nobody finds an input called ${label}.`);
  return found as HTMLInputElement;
}

/** Everything below `root` that a selector finds, through open shadow trees. */
export function deep(root: Element | ShadowRoot, selector: string): HTMLElement[] {
  const roots = root instanceof Element && root.shadowRoot ? [root.shadowRoot, root] : [root];
  return roots.flatMap((at) => [
    ...at.querySelectorAll<HTMLElement>(selector),
    ...[...at.querySelectorAll('*')].flatMap((element) =>
      element.shadowRoot ? deep(element.shadowRoot, selector) : [],
    ),
  ]);
}

/** Chooses an option by its name. */
export async function choose(select: Element, name: string): Promise<void> {
  const { options } = select as HTMLSelectElement;
  const found = [...options].find((option) => option.textContent === name);
  if (!found) throw new Error(`There is no ${name} to choose.`);
  found.selected = true;
  select.dispatchEvent(new Event('change', { bubbles: true }));
  await completeOf(select);
}

/** Types a text into an input, as one paste does. */
export async function typeInto(input: HTMLInputElement, text: string): Promise<void> {
  input.focus();
  input.value = text;
  input.setSelectionRange(text.length, text.length);
  input.dispatchEvent(
    new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertFromPaste' }),
  );
  await completeOf(input);
}

/** Presses the button or radio whose words start so. */
export async function press(root: Element, name: string): Promise<void> {
  const found = deep(root, 'button, label').find((element) =>
    element.textContent?.trim().startsWith(name),
  );
  if (!found) throw new Error(`Nobody finds a button called ${name}.`);
  found.click();
  await completeOf(found);
}

async function completeOf(element: Element): Promise<void> {
  const host = (element.getRootNode() as ShadowRoot).host as LitElement;
  await host.updateComplete;
  await host.updateComplete;
}
