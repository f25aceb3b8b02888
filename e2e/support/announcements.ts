import { expect, type Page } from '@playwright/test';
import { checkoutFrame } from './checkout-frame.ts';

/**
 * Everything a screen reader says: each change of a live region, by its politeness, and each
 * heading or code field the frame moves the focus to. Fields a person goes to are left out.
 */
export class Announcements {
  #received: string[] = [];

  /** Begins to listen to the frame of an open popup. Its announcements outlive the frame. */
  static async in(page: Page): Promise<Announcements> {
    const announcements = new Announcements();
    await page.exposeBinding(
      'note',
      (_source, text: string) => void announcements.#received.push(text),
    );
    await checkoutFrame(page).evaluate(listen);
    return announcements;
  }

  /**
   * Waits until exactly this has been announced since the last time, in this order, and nothing twice.
   */
  async expect(...texts: (string | RegExp)[]): Promise<void> {
    await expect
      .poll(() => this.#received)
      .toEqual(
        texts.map((text) => (typeof text === 'string' ? text : expect.stringMatching(text))),
      );
    this.#received = [];
  }

  /**
   * Waits until this has been announced, whatever else was: an announcement of less than a second may
   * be gone between two looks of a busy machine.
   */
  async expectAmong(text: string): Promise<void> {
    await expect.poll(() => this.#received).toContain(text);
  }
}

function listen(): void {
  const { note } = window as unknown as { note: (text: string) => void };
  const root = document.querySelector('checkout-app')!.shadowRoot!;
  const said: Record<string, string> = {};
  const textOf = (element: Element) => {
    const spoken = element.cloneNode(true) as Element;
    for (const hidden of spoken.querySelectorAll('[aria-hidden=true]')) hidden.remove();
    return spoken.textContent!.replace(/\s+/g, ' ').trim();
  };
  const look = () => {
    for (const [role, manner] of Object.entries({ status: 'politely', alert: 'at once' })) {
      const text = [...root.querySelectorAll(`[role=${role}]`)].map(textOf).join(' ').trim();
      if (text && text !== said[role]) note(`${manner}: ${text}`);
      said[role] = text;
    }
  };
  look();
  new MutationObserver(look).observe(root, { subtree: true, childList: true, characterData: true });
  let focused: Element | undefined;
  document.addEventListener('focusin', (event) => {
    const target = event.composedPath()[0] as Element;
    if (target === focused) return; // the frame itself got the focus back
    focused = target;
    if (target.matches('h1')) note(`focus: ${textOf(target)}`);
    if (target.id === 'code') note('focus: One-time code');
  });
}
