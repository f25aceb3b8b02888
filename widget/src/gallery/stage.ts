import type { Session } from '@service-pay/contract/checkout-api';
import type { Language } from '@service-pay/contract/languages';
import type { PaymentRequest } from '@service-pay/contract/payment-request-schema';
import { CheckoutApp } from '../checkout/app.ts';
import { loadBrands } from '../checkout/card/brand.ts';
import type { CheckoutError } from '../checkout/flow/client.ts';
import { allWords } from '../checkout/language/messages/all-words.ts';
import { type Catalogue, loadCatalogue } from '../checkout/language/messages/messages.ts';
import * as screens from '../checkout/screens/later-screens.ts';
import { by, deep, press, typeInto } from '../checkout/test/hands.ts';
import {
  buildSession,
  FACTS,
  StandInCheckout,
  settled,
  TestClock,
} from '../checkout/test/stand-in-checkout.ts';

export interface Scene {
  request?: Partial<PaymentRequest>;
  session?: Partial<Session>;
  /** The service does not know the shop. */
  isStranger?: boolean;
  offered?: Language;
  /** Prepares the service's responses before the frame opens. */
  service?: (checkout: StandInCheckout) => void;
  /** Acts as the customer once the first screen is drawn. */
  customer?: (stage: Stage) => Promise<unknown>;
}

export const SILENCE = new Promise<Session>(() => {});

const REQUEST: PaymentRequest = {
  key: 'pub_gallery',
  email: 'mary@example.com',
  reference: 'order-1042',
  amount: '10.00',
  currency: 'ZMW',
  label: 'Two tickets',
};

const CARD = {
  cardNumber: '4242 4242 4242 4242',
  expiryDate: '12/34',
  securityCode: '123',
  nameOnCard: 'Mary Phiri',
} as const;

/** The real checkout element, with a scripted service and a stopped clock. */
export class Stage {
  readonly app = new CheckoutApp();
  readonly checkout = new StandInCheckout();
  readonly clock = new TestClock();
  readonly #catalogue: Catalogue;
  readonly #scene: Scene;

  constructor(scene: Scene, catalogue: Catalogue) {
    this.#scene = scene;
    this.#catalogue = catalogue;
    this.checkout.session = buildSession(scene.session);
    scene.service?.(this.checkout);
  }

  /**
   * Draws the element in `place` and plays the scene to its end. Calls `shown` when a page would
   * show the frame.
   */
  async play(place: HTMLElement, shown: () => void): Promise<void> {
    const firstScreen = new Promise<void>((resolve) => {
      this.app.deps = {
        checkout: this.checkout,
        clock: this.clock,
        newId: () => 'attempt-1',
        request: { ...REQUEST, ...this.#scene.request },
        facts: this.#scene.isStranger ? undefined : FACTS,
        locale: this.#catalogue.locale,
        offered: this.#scene.offered,
        loadCatalogue,
        send: ({ type }) => type === 'shown' && resolve(),
      };
    });
    this.app.screens = screens;
    place.replaceChildren(this.app);
    // A lost first response is requested again a second later.
    await this.clock.advance(2_000);
    await firstScreen;
    shown();
    await this.#scene.customer?.(this);
    await this.#settle();
  }

  async type(
    field: 'cardNumber' | 'expiryDate' | 'securityCode' | 'nameOnCard' | 'phoneNumber' | 'code',
    text: string,
  ): Promise<void> {
    await typeInto(by(this.app, allWords(this.#catalogue.words)[field]), text);
    await loadBrands();
    await this.#settle();
  }

  async chooseMobileMoney(): Promise<void> {
    await this.press(this.#catalogue.words.channels['mobile-money']!);
  }

  async openTestNumbers(): Promise<void> {
    await this.press(this.#catalogue.words.testMode);
  }

  async press(name: string): Promise<void> {
    await press(this.app, name);
  }

  async pressMain(): Promise<void> {
    deep(this.app, 'button:not(.test)')[0]!.click();
    await this.#settle();
  }

  async payByCard(response: Session | CheckoutError | Promise<Session>): Promise<void> {
    for (const [field, text] of Object.entries(CARD))
      await this.type(field as keyof typeof CARD, text);
    await this.#pay(response);
  }

  async typePhone(number: string): Promise<void> {
    await this.chooseMobileMoney();
    await this.type('phoneNumber', number);
  }

  async payByPhone(response: Session | CheckoutError | Promise<Session>): Promise<void> {
    await this.typePhone('096 111 1111');
    await this.#pay(response);
  }

  async sendCode(code: string, response: Session | Promise<Session>): Promise<void> {
    this.checkout.responses.sendCode.push(response);
    await this.type('code', code);
    await this.pressMain();
  }

  async offline(act: () => Promise<void>): Promise<void> {
    Object.defineProperty(navigator, 'onLine', { value: false, configurable: true });
    await act();
    Reflect.deleteProperty(navigator, 'onLine');
  }

  async #pay(response: Session | CheckoutError | Promise<Session>): Promise<void> {
    this.checkout.responses.submit.push(response);
    await this.pressMain();
  }

  /** Waits until nothing moves except what waits for the clock. */
  async #settle(): Promise<void> {
    await settled();
    await Promise.all(
      deep(this.app, '*').map((element) => (element as Partial<CheckoutApp>).updateComplete),
    );
    await this.app.updateComplete;
    await settled();
    await document.fonts.ready;
    await Promise.all((deep(this.app, 'iframe') as HTMLIFrameElement[]).map(loaded));
  }
}

async function loaded(frame: HTMLIFrameElement): Promise<void> {
  const { readyState, URL } = frame.contentDocument!;
  if (readyState === 'complete' && URL !== 'about:blank') return;
  await new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
}
