import type { AxeResults, RunOptions } from 'axe-core';

export interface Inspection {
  states: readonly string[];
  language: string;
  /** Run axe, which the page has already loaded: every rule of WCAG 2.2 at levels A and AA. */
  axe?: boolean;
  /** The side of the 48 px corner that the page's Close covers, in the frame. */
  corner?: 'left' | 'right';
  reach?: boolean;
  edges?: boolean;
  /** See that no text is drawn on other text. */
  overlaps?: boolean;
  /** Focus each field, and see that it, its message and its offer are between head and foot. */
  fields?: boolean;
  /** Press each control in a state of its own, and see that something has the focus afterwards. */
  presses?: boolean;
}

export interface Inspected {
  state: string;
  wrong: string[];
  alerts: number;
  texts: string[];
}

/**
 * Goes from state to state of the gallery in the document it runs in, and looks at each through
 * open shadow roots. Runs in the page, so it uses nothing from outside.
 */
export async function inspectStates({
  states,
  language,
  axe,
  corner,
  reach,
  edges,
  overlaps,
  fields,
  presses,
}: Inspection): Promise<Inspected[]> {
  const found: Inspected[] = [];
  let wrong: string[];
  let alerts = 0;
  for (const state of states) {
    await goTo(`#state=${state}&language=${language}`);
    wrong = [];
    const texts = await look();
    if (presses) await pressEach(`#state=${state}&language=${language}`);
    found.push({ state, wrong, alerts, texts });
  }
  return found;

  async function goTo(hash: string): Promise<void> {
    const root = document.documentElement;
    location.hash = hash;
    await new Promise<void>((resolve) => {
      const isShown = () => root.dataset['shown'] === hash && resolve();
      new MutationObserver(isShown).observe(root, { attributes: true });
      isShown();
    });
  }

  async function look(): Promise<string[]> {
    const all = below(document.body).filter(
      (element) => !element.closest('[inert]') && (!isCovered() || isInDialog(element)),
    );
    const seen = all.filter((element) => element.checkVisibility() && !element.closest('.unseen'));
    const controls = seen.filter((element) => element.matches('button, a[href], input, select'));
    const words = seen.flatMap((element) =>
      [...element.childNodes].filter(
        (node): node is Text => node instanceof Text && /\S/.test(node.data),
      ),
    );
    if (axe) await runAxe();
    seeSideways(seen);
    for (const text of words) seeCutText(text);
    if (overlaps) seeOverlaps(words);
    const head = seen.find((element) => element.matches('.head'));
    if (corner) for (const node of [...words, ...controls]) seeCorner(node, corner, head);
    seeLiveRegions(all);
    if (reach) for (const control of controls) tryToReach(control);
    if (edges) for (const control of controls) seeEdges(control);
    if (fields) {
      // An alert comes before the field that kept the focus.
      const focused = controls.filter((control) => !alerts && control.matches(':focus'));
      for (const control of [...focused, ...controls]) await seeField(control, seen);
    }
    const attributes = all.flatMap((element) =>
      ['aria-label', 'title', 'placeholder', 'alt'].map((name) => element.getAttribute(name) ?? ''),
    );
    // The browser names the countries, some of them as in English.
    const ours = all.filter((element) => !element.matches('#country option'));
    const texts = ours.flatMap((element) =>
      [...element.childNodes].map((node) => (node instanceof Text ? node.data : '')),
    );
    return [...texts, ...attributes]
      .map((text) => text.replace(/\s+/g, ' ').trim())
      .filter(Boolean);
  }

  /** Texts of the head, of the last line, of a field and of the ring must not lie on each other. */
  function seeOverlaps(words: readonly Text[]): void {
    const parts = words.flatMap((text) => {
      const place = text.parentElement!.closest('.head, .last, .box, .ring');
      return place ? partsOf(text).map((box) => ({ text, place, box })) : [];
    });
    for (const one of parts)
      for (const other of parts) {
        const { box } = one;
        const width = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
        const height = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
        if (one.text !== other.text && one.place === other.place && width > 2 && height > 8)
          wrong.push(`“${nameOf(one.text)}” lies on “${nameOf(other.text)}”`);
      }
  }

  function below(root: Element | ShadowRoot): HTMLElement[] {
    return [...root.querySelectorAll<HTMLElement>('*')].flatMap((element) => [
      ...(element.matches('style, script') ? [] : [element]),
      ...(element.shadowRoot ? below(element.shadowRoot) : []),
    ]);
  }

  function isCovered(): boolean {
    return below(document.body).some((element) => element.matches('dialog'));
  }

  function isInDialog(element: Element): boolean {
    return Boolean(element.closest('dialog'));
  }

  async function runAxe(): Promise<void> {
    const { axe } = window as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } };
    const values = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
    const { violations } = await axe.run({
      runOnly: { type: 'tag', values },
      resultTypes: ['violations'],
    });
    for (const { id, nodes } of violations)
      wrong.push(`axe ${id}: ${nodes.map(({ target }) => target.flat().join(' ')).join(', ')}`);
  }

  function seeSideways(seen: readonly HTMLElement[]): void {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth)
      wrong.push(`the page is ${scrollWidth} px wide where there are ${clientWidth}`);
    for (const element of seen) {
      const isScrolled = /auto|scroll/.test(getComputedStyle(element).overflowX);
      if (isScrolled && element.scrollWidth > element.clientWidth)
        wrong.push(`${nameOf(element)} scrolls sideways`);
    }
  }

  function seeCutText(text: Text): void {
    const box = text.parentElement!.closest('button, a, label')?.getBoundingClientRect();
    for (const { left, right, top, bottom } of partsOf(text)) {
      if (left < -1 || right > innerWidth + 1) wrong.push(`“${nameOf(text)}” leaves the window`);
      const isIn =
        !box ||
        (left >= box.left - 1 &&
          right <= box.right + 1 &&
          top >= box.top - 1 &&
          bottom <= box.bottom + 1);
      if (!isIn) wrong.push(`“${nameOf(text)}” leaves its control`);
    }
  }

  function seeCorner(
    node: Text | HTMLElement,
    side: 'left' | 'right',
    head: HTMLElement | undefined,
  ): void {
    const start = head && !head.contains(node) ? head.getBoundingClientRect().bottom : 0;
    const isIn = ({ left, right, top, bottom, width }: DOMRect) =>
      width > 0 &&
      Math.max(top, start) < Math.min(bottom, innerHeight, 48) &&
      (side === 'left' ? left < 48 : right > innerWidth - 48);
    if (partsOf(node).some(isIn)) wrong.push(`“${nameOf(node)}” lies below Close`);
  }

  function partsOf(node: Text | HTMLElement): DOMRect[] {
    // A long name ends at the edge of its box.
    const box = node instanceof HTMLElement ? node : node.parentElement!.closest('.names > *');
    if (box) return [box.getBoundingClientRect()];
    const range = document.createRange();
    range.selectNodeContents(node);
    return [...range.getClientRects()];
  }

  function seeLiveRegions(all: readonly HTMLElement[]): void {
    const live = all.filter((element) =>
      element.matches('[role=alert], [role=status], [aria-live=polite], [aria-live=assertive]'),
    );
    const said = live.filter(
      (element) => element.checkVisibility() && /\S/.test(element.textContent ?? ''),
    );
    if (said.length > 1)
      wrong.push(
        `${said.length} things are said at once: ${said.map((element) => element.textContent?.trim()).join(' | ')}`,
      );
    alerts = said.filter((element) =>
      element.matches('[role=alert], [aria-live=assertive]'),
    ).length;
  }

  function tryToReach(control: HTMLElement): void {
    const shown = control.closest('label') ?? control;
    shown.scrollIntoView({ block: 'center' });
    const { left, top, width, height } = shown.getBoundingClientRect();
    let met = document.elementFromPoint(left + width / 2, top + height / 2);
    for (let root = met?.shadowRoot; root; root = met?.shadowRoot)
      met = root.elementFromPoint(left + width / 2, top + height / 2);
    if (!met || !(shown.contains(met) || met.contains(shown)))
      wrong.push(`${nameOf(control)} cannot be reached`);
  }

  function seeEdges(control: HTMLElement): void {
    const hasEdge = (element: Element) => {
      const { borderTopStyle, borderTopWidth } = getComputedStyle(element);
      return borderTopStyle !== 'none' && Number.parseFloat(borderTopWidth) >= 1;
    };
    const hasRing = (element: Element) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(element);
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2;
    };
    const box = control.closest('.choice') ?? control;
    if (!control.matches('a') && !hasEdge(box)) wrong.push(`${nameOf(control)} has no edge`);
    control.focus({ focusVisible: true } as FocusOptions);
    if (!control.matches(':disabled') && ![control, box].some(hasRing))
      wrong.push(`${nameOf(control)} does not show the focus`);
  }

  async function pressEach(hash: string): Promise<void> {
    const listControls = () =>
      below(document.body).filter(
        (element) => element.matches('button, input') && element.checkVisibility(),
      );
    const { length } = listControls();
    for (let at = 0; at < length; at++) {
      await goTo(`${hash}&press=${at}`);
      const control = listControls()[at]!;
      const name = nameOf(control);
      control.focus();
      control.click();
      for (let turn = 0; turn < 10; turn++) await new Promise((next) => setTimeout(next));
      await new Promise(requestAnimationFrame);
      if (document.activeElement === document.body)
        wrong.push(`nothing has the focus after a press of ${name}`);
    }
  }

  async function seeField(control: HTMLElement, seen: readonly HTMLElement[]): Promise<void> {
    const field = control.closest('.field');
    if (!field || !control.matches('input, .field select')) return;
    if (!control.matches(':focus')) control.focus();
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    const top = seen.find((element) => element.matches('.total'))!.getBoundingClientRect().bottom;
    const foot = seen.find((element) => element.matches('.foot'))!.getBoundingClientRect().top;
    const parts = [control, ...field.querySelectorAll<HTMLElement>('.note.open, button')];
    for (const part of parts) {
      const box = part.getBoundingClientRect();
      if (box.top < top - 1 || box.bottom > foot + 1)
        wrong.push(
          `${nameOf(part)} of ${nameOf(control)} is at ${box.top} to ${box.bottom}, outside ${top} to ${foot}`,
        );
    }
  }

  function nameOf(node: Text | HTMLElement): string {
    if (node instanceof Text) return node.data.trim();
    return `${node.localName}${node.id ? `#${node.id}` : ''}${node.className ? `.${node.className}` : ''}`;
  }
}
