import type { LitElement } from 'lit';

/** Returns the input with this label, in any open shadow tree below `root`. */
export function by(root: Element, label: string): HTMLInputElement {
  const found = deep(root, 'input, select').find(
    (input) => (input as HTMLInputElement).labels?.[0]?.textContent?.trim() === label,
  );
  if (!found) throw new Error(`Nobody finds an input called ${label}.`);
  return found as HTMLInputElement;
}

export function deep(root: Element | ShadowRoot, selector: string): HTMLElement[] {
  const roots = root instanceof Element && root.shadowRoot ? [root.shadowRoot, root] : [root];
  return roots.flatMap((at) => [
    ...at.querySelectorAll<HTMLElement>(selector),
    ...[...at.querySelectorAll('*')].flatMap((element) =>
      element.shadowRoot ? deep(element.shadowRoot, selector) : [],
    ),
  ]);
}

export async function choose(select: Element, name: string): Promise<void> {
  const { options } = select as HTMLSelectElement;
  const found = [...options].find((option) => option.textContent === name);
  if (!found) throw new Error(`There is no ${name} to choose.`);
  found.selected = true;
  select.dispatchEvent(new Event('change', { bubbles: true }));
  await completeOf(select);
}

/** Fills in the card form with the card that is accepted. */
export async function typeCard(root: Element): Promise<void> {
  await typeInto(by(root, 'Card number'), '4242424242424242');
  await typeInto(by(root, 'Expiry date'), '12/34');
  await typeInto(by(root, 'Security code'), '123');
  await typeInto(by(root, 'Name on card'), 'Mary Banda');
}

export async function typeInto(input: HTMLInputElement, text: string): Promise<void> {
  input.focus();
  input.value = text;
  input.setSelectionRange(text.length, text.length);
  input.dispatchEvent(
    new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertFromPaste' }),
  );
  await completeOf(input);
}

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
