import { expect } from '@open-wc/testing';

import './define.ts';
import { getPaid, preload } from './get-paid.ts';
import type { PaymentHandle, PaymentResult } from './payment.ts';
import { configure } from './service.ts';
import type { ServicePayElement } from './service-pay.ts';
import { find, findSoon, openedFrame, serviceOrigin, until } from './test/stand-in-frame.ts';

const KEY = 'pub_sandbox_demo';
const ELEMENT = `<service-pay public-key="${KEY}" email="ann@example.com" reference="order-1" amount="10"></service-pay>`;
const OURS = 'iframe, service-pay-popup, service-pay-layer';
const SHOP = '<main style="position:fixed;inset:0"><button>Shop</button></main>';

let handle: PaymentHandle | undefined;

/** Each leaves nodes of ours in the page, for a snapshot to copy. */
const STATES: Record<string, () => Promise<void>> = {
  async 'the popup of getPaid'() {
    handle = getPaid({ key: KEY, email: 'ann@example.com', reference: 'order-1', amount: 10 });
    await openedFrame();
  },
  async 'the popup of an element'() {
    document.body.insertAdjacentHTML('beforeend', ELEMENT);
    handle = find<ServicePayElement>('service-pay')!.pay();
    await openedFrame();
  },
  async 'a preloaded frame'() {
    preload({ key: KEY });
    await findSoon('iframe');
  },
  async 'what keeps late taps off the page after the popup'() {
    await STATES['the popup of getPaid']!();
    handle!.close();
    await handle!.result;
    expect(isUsable()).to.equal(false);
  },
};

const WAYS: Record<string, () => void> = {
  'its HTML'() {
    const html = document.body.innerHTML;
    document.body.innerHTML = '';
    document.body.innerHTML = html;
  },
  'a clone of its body'() {
    document.body.replaceWith(document.body.cloneNode(true));
  },
  'a clone beside the original'() {
    document.body.append(...[...document.body.cloneNode(true).childNodes]);
  },
  'a document parsed from its HTML'() {
    const parsed = new DOMParser().parseFromString(document.body.innerHTML, 'text/html');
    document.body.replaceChildren(...parsed.body.childNodes);
  },
};

describe('what a snapshot of the page brings back', () => {
  const results: PaymentResult[] = [];

  beforeEach(() => {
    document.documentElement.lang = 'en';
    configure({ serviceUrl: serviceOrigin });
    document.body.insertAdjacentHTML('beforeend', SHOP);
  });

  afterEach(async () => {
    handle?.close();
    await handle?.result;
    handle = undefined;
    results.length = 0;
    document.body.replaceChildren();
  });

  for (const [state, reach] of Object.entries(STATES)) {
    for (const [way, restore] of Object.entries(WAYS)) {
      it(`a snapshot of the page shows and leaves nothing of ${state}, restored from ${way} (T125)`, async () => {
        await reach();
        void handle?.result.then((result) => results.push(result));
        const isBesides = way === 'a clone beside the original';

        const before = isBesides ? countOurs() : 0;
        restore();

        expect(countOurs()).to.equal(before);
        if (isBesides) return;
        expect(isUsable()).to.equal(true);
        await until(() => !document.adoptedStyleSheets.length, 'the page is locked');
        if (handle) await until(() => results.length);
        expect(results.map(({ outcome }) => outcome)).to.deep.equal(handle ? ['closed'] : []);
        handle = getPaid({ key: KEY, email: 'ann@example.com', reference: 'order-2', amount: 10 });
        await openedFrame();
        expect(find('dialog')!.matches(':modal')).to.equal(true);
      });
    }

    it(`a saved page shows nothing of ${state}, which is removed once the script has run (T125)`, async () => {
      await reach();
      const saved = document.createElement('iframe');
      saved.style.cssText = 'inline-size: 500px; block-size: 500px';
      saved.srcdoc = `<!doctype html>${document.body.innerHTML}`;
      document.body.replaceChildren(saved);
      await new Promise((resolve) => saved.addEventListener('load', resolve, { once: true }));
      const page = saved.contentDocument!;
      const shown = [...page.querySelectorAll(OURS)].filter(
        (node) => node.checkVisibility({ visibilityProperty: true }) || node.matches('[open]'),
      );
      expect(shown).to.deep.equal([]);
      expect(isUsable(page)).to.equal(true);

      const script = page.createElement('script');
      script.src = `${serviceOrigin}/js/v1/inline.js`;
      page.body.append(script);

      await until(() => page.defaultView!.customElements.get('service-pay'));
      await until(() => !countOurs(page));
    });
  }

  it('the widget removes a popup that the page takes out and puts back (T125)', async () => {
    await STATES['the popup of getPaid']!();
    const popup = find('service-pay-popup')!;

    popup.remove();
    document.body.append(popup);

    expect(countOurs()).to.equal(0);
    expect(isUsable()).to.equal(true);
  });
});

function countOurs(page = document): number {
  return page.querySelectorAll(OURS).length;
}

/** A press reaches the page's own button. */
function isUsable(page = document): boolean {
  const button = page.querySelector('main button')!;
  const { x, y } = button.getBoundingClientRect();
  return page.elementFromPoint(x + 2, y + 2) === button;
}
