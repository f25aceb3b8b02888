import { expect } from '@playwright/test';

import type { SitePage } from '../support/merchant-site.ts';
import { findByRole, type Query } from './find-by-role.ts';
import type { Key, Place, Tab } from './tab.ts';

/** The payment form: the only frame of the page, whatever the language of its title. */
export const FORM: Place = [''];

export const BANK: Place = [...FORM, 'Card verification'];

export const PAGE: Place = [];

const PATIENCE = { timeout: 30_000, intervals: [20, 50, 100, 200, 400] };

/**
 * A customer at a tab of any browser. Finds and presses things by role and name, by default in the
 * payment form.
 */
export class Customer implements SitePage {
  readonly tab: Tab;
  #url = '';

  constructor(tab: Tab) {
    this.tab = tab;
  }

  async goto(url: string): Promise<void> {
    await this.tab.open(url);
    this.#url = url;
  }

  url(): string {
    return this.#url;
  }

  evaluate<Result>(act: (argument: any) => Result, argument?: unknown): Promise<Awaited<Result>> {
    return this.tab.run(act, argument ?? null);
  }

  async see(role: Query['role'], name: string, place = FORM): Promise<void> {
    await this.#until(
      `${role} "${name}" is in sight`,
      async () => (await this.#read(place, role, name, () => true)) ?? false,
    );
  }

  async seeAlert(words: string, place = FORM): Promise<void> {
    await this.#until(`the alert says "${words}"`, async () => {
      const text = await this.#read(place, 'alert', '', (element) => element.textContent);
      return text?.includes(words) ?? false;
    });
  }

  async seeNo(role: Query['role'], name: string, place = FORM): Promise<void> {
    await this.#until(
      `${role} "${name}" is gone`,
      async () => !(await this.#read(place, role, name, () => true)),
    );
  }

  async seeFocusOn(role: Query['role'], name: string, place = FORM): Promise<void> {
    await this.#until(`${role} "${name}" has the focus`, async () => {
      return (
        (await this.#read(
          place,
          role,
          name,
          (element) => (element.getRootNode() as Document | ShadowRoot).activeElement === element,
        )) ?? false
      );
    });
  }

  async textOf(role: Query['role'], name: string, place = FORM): Promise<string | undefined> {
    return this.#read(
      place,
      role,
      name,
      (element) => (element as HTMLInputElement).value || element.textContent.trim(),
    );
  }

  async directionOf(role: Query['role'], name: string, place = FORM): Promise<string | undefined> {
    return this.#read(place, role, name, (element) => getComputedStyle(element).direction);
  }

  async press(role: Query['role'], name: string, place = FORM): Promise<void> {
    await this.#untilSheetRests();
    await expect(() => this.tab.press(place, findByRole, { role, name })).toPass(PATIENCE);
  }

  /** The sheet adjusts to the height of its form a moment later. A press before that would miss. */
  async #untilSheetRests(): Promise<void> {
    await this.#until('the sheet is as high as its form', async () => {
      const sheet = await this.#read(PAGE, 'dialog', '', measureSheet);
      if (!sheet) return true;
      const form = await this.tab.read(FORM, findForm, null, heightOf);
      return !form || Math.abs(sheet.height - Math.min(form, sheet.room)) <= 1;
    });
  }

  async pressBehind(role: Query['role'], name: string): Promise<void> {
    const middle = await this.#read(PAGE, role, name, (element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return { x: Math.round(x + width / 2), y: Math.round(y + height / 2) };
    });
    await this.tab.pressAt(middle ?? { x: 0, y: 0 });
  }

  /** Replaces a field's text at once, as a paste does; `type` presses each key. */
  async fill(name: string, text: string): Promise<void> {
    const field: Query & { text: string } = { role: 'textbox', name, text };
    await this.#until(`${name} holds what was put in`, async () => {
      const held = await this.tab.read(FORM, findByRole, field, putIn);
      if (held === null) await this.tab.press(FORM, findByRole, field);
      return held?.replaceAll(/[\s/]/g, '') === text.replaceAll(/[\s/]/g, '');
    });
  }

  async type(text: string): Promise<void> {
    await this.tab.type(text);
  }

  async pressKeys(...keys: Key[]): Promise<void> {
    for (const key of keys) await this.tab.pressKey(key);
  }

  async payByCard(number: string): Promise<void> {
    await this.fill('Card number', number);
    await this.fill('Expiry date', '12/34');
    await this.fill('Security code', '123');
    await this.fill('Name on card', 'Mary Banda');
    await this.press('button', 'Pay');
  }

  async payByPhone(network: string, phone: string): Promise<void> {
    await this.press('radio', 'Mobile money');
    await this.press('radio', network);
    await this.fill('Phone number', phone);
    await this.press('button', 'Pay');
  }

  async #read<Result>(
    place: Place,
    role: Query['role'],
    name: string,
    read: (element: Element) => Result,
  ): Promise<Result | undefined> {
    return this.tab.read(place, findByRole, { role, name }, read);
  }

  async #until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    await expect(async () => expect(await isSo(), what).toBe(true)).toPass(PATIENCE);
  }
}

function findForm(): Element | undefined {
  return document.querySelector('checkout-app') ?? undefined;
}

function heightOf(element: Element): number {
  return element.getBoundingClientRect().height;
}

function measureSheet(dialog: Element): { height: number; room: number } {
  const card = dialog.querySelector('.card')!;
  const frame = document.querySelector('service-pay > iframe, service-pay-popup > iframe')!;
  return { height: card.getBoundingClientRect().height, room: frame.clientHeight };
}

/**
 * Returns the field's value, or null if it takes no focus: WebKit wants a press in the frame first.
 */
function putIn(element: Element, { text }: { text: string }): string | null {
  const field = element as HTMLInputElement;
  field.focus();
  if ((field.getRootNode() as Document | ShadowRoot).activeElement !== field) return null;
  field.select();
  document.execCommand('insertText', false, text);
  return field.value;
}
