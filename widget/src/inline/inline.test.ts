import { expect } from '@open-wc/testing';

import type { getPaid } from './get-paid.ts';
import type {} from './service-pay.ts';
import { find, serviceOrigin, until } from './test/stand-in-frame.ts';

type Page = Window & {
  ServicePay?: { getPaid: typeof getPaid };
  warnings: string[];
  atLoad: string;
};

const TAG = `<script src="${serviceOrigin}/js/v1/inline.js" onload="atLoad = typeof ServicePay.getPaid"></script>`;
const ORDER = {
  key: 'pub_sandbox_demo',
  email: 'ann@example.com',
  reference: 'order-1',
  amount: 10,
};

describe('the script on a page', () => {
  const frames: HTMLIFrameElement[] = [];

  const load = async (markup: string): Promise<Page> => {
    const frame = document.createElement('iframe');
    frame.srcdoc = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><script>warnings = []; console.warn = (text) => warnings.push(text)</script>${markup}`;
    const loaded = new Promise((resolve) =>
      frame.addEventListener('load', resolve, { once: true }),
    );
    document.body.append(frame);
    frames.push(frame);
    await loaded;
    return frame.contentWindow as Page;
  };

  afterEach(() => {
    for (const frame of frames.splice(0)) frame.remove();
  });

  it('the script has set the global when the tag has loaded, and pays at the service it came from (U1, D22)', async () => {
    const page = await load(TAG);
    const handle = page.ServicePay!.getPaid(ORDER);
    const isFramed = () =>
      page.document.body.lastElementChild?.querySelector('iframe')?.src.startsWith(serviceOrigin);

    expect(page.atLoad).to.equal('function');
    await until(isFramed);
    handle.close();
    expect(page.customElements.get('service-pay')).to.not.equal(undefined);
  });

  it('the script is misled by no element named currentScript or ServicePay (T8)', async () => {
    const page = await load(
      `<img name="currentScript" src="https://evil.example/js/v1/inline.js"><form id="ServicePay"></form>${TAG}`,
    );
    const handle = page.ServicePay!.getPaid(ORDER);

    expect(page.warnings).to.deep.equal([]);
    await until(() =>
      page.document.body.lastElementChild?.querySelector('iframe')?.src.startsWith(serviceOrigin),
    );
    handle.close();
  });

  it('the script remembers over a reload that money may move, and says so where its frame is blocked (D13, T118)', async () => {
    const pay = (page: Page, reported: string[]) =>
      page.ServicePay!.getPaid({
        ...ORDER,
        reference: 'order-over-reload',
        onClose: () => reported.push('closed'),
        onConfirmationPending: () => reported.push('confirmation-pending'),
      });
    const findFrame = (page: Page) => find<HTMLIFrameElement>('iframe', page.document);
    const first = await load(
      `${TAG}<script>addEventListener('message', ({ data }) => { if (data.received) received = data.received.type })</script>`,
    );
    pay(first, []);
    const received = (type: string) =>
      until(() => (first as unknown as { received: string }).received === type, type);
    await received('service-pay:open');
    // The page may end at any time: `noted` is the only sign that it has stored the state.
    const say = (message: object) => {
      const call = `postMessage(${JSON.stringify({ standIn: 'say', messages: [message] })}, '${serviceOrigin}')`;
      Object.assign(first, { popupFrame: findFrame(first)!.contentWindow });
      (first as unknown as { eval(code: string): void }).eval(`popupFrame.${call}`);
    };
    say({ type: 'money', state: 'unknown', turn: 1 });
    await received('noted');
    frames.pop()!.remove();

    const reported: string[] = [];
    const blocked = `<meta http-equiv="Content-Security-Policy" content="frame-src 'none'">`;
    const second = await load(`<head>${blocked}</head>${TAG}`);
    pay(second, reported);
    await until(() => find('.stopped [role=alert]', second.document));
    expect(find('.stopped [role=alert]', second.document)!.textContent).to.contain(
      'the shop will confirm',
    );
    find('[part=close]', second.document)!.click();

    expect(reported).to.deep.equal(['confirmation-pending']);
  });

  it('the script is one instance however often it is included, and says so once for each (D12, T10)', async () => {
    const page = await load(`${TAG}<script>first = ServicePay</script>${TAG}`);

    expect(page.ServicePay).to.equal((page as unknown as { first: unknown }).first);
    expect(page.warnings).to.have.length(1);
    expect(page.warnings[0]).to.contain('twice');
  });

  it('the script works beside another copy of the widget, which has registered the same elements', async () => {
    const taken = `<script>for (const name of ['service-pay', 'service-pay-popup'])
      customElements.define(name, class extends HTMLElement {})</script>`;
    const page = (await load(`${taken}${TAG}`)) as Page & { errors: string[] };
    const handle = page.ServicePay!.getPaid(ORDER);

    expect(find('dialog', page.document)?.matches(':modal')).to.equal(true);
    handle.close();
  });

  it('the script says that it must run in the page if Partytown moved it into a worker', async () => {
    // As in the worker: the tag with its type, in place of the browser's own.
    const worker = `<script>
      Object.defineProperty(Document.prototype, 'currentScript', {
        get: () => ({ type: 'text/partytown', src: '${serviceOrigin}/js/v1/inline.js' }),
      });
      console.error = (text) => warnings.push(text);
    </script>`;

    expect((await load(`${worker}${TAG}`)).warnings).to.deep.equal([
      'ServicePay: Partytown moved the script into a worker. Load it in the page, without type="text/partytown".',
    ]);
  });

  it('the script guesses no address where it is a bundle, a module or re-hosted (T9, U4)', async () => {
    const script = await (await fetch(`${serviceOrigin}/js/v1/inline.js`)).text();
    const pages = await Promise.all([
      load(`<script src="${serviceOrigin}/elsewhere/bundle.js"></script>`),
      load(`<script type="module" crossorigin src="${serviceOrigin}/js/v1/inline.js"></script>`),
      load(`<script>${script}</script>`),
    ]);

    for (const [index, page] of pages.entries()) {
      expect(page.ServicePay, String(index)).to.not.equal(undefined);
      expect(() => page.ServicePay!.getPaid(ORDER))
        .to.throw('script tag')
        .with.property('code', 'not_configured');
    }
  });

  it('the script opens the popup once there is a body if it is called before (U3)', async () => {
    const call = `handle = ServicePay.getPaid(${JSON.stringify(ORDER)}); hadBody = !!document.body`;
    const page = (await load(
      `<head>${TAG}<script>${call}</script></head><body><p>Shop</p>`,
    )) as Page & {
      hadBody: boolean;
      handle: { close(): void };
    };

    expect(page.hadBody).to.equal(false);
    await until(() =>
      page.document.body.lastElementChild?.shadowRoot?.querySelector('dialog[open]'),
    );
    page.handle.close();
  });

  it('the script names what keeps a page from paying: a sandboxed frame (T19)', async () => {
    const said = new Promise<{ code: string }>((resolve) => {
      window.addEventListener('message', ({ data }) => data.code && resolve(data), { once: true });
    });
    const frame = document.createElement('iframe');
    frame.sandbox.add('allow-scripts');
    const call = `try { ServicePay.getPaid(${JSON.stringify(ORDER)}) } catch ({ code, message }) { parent.postMessage({ code, message }, '*') }`;
    frame.srcdoc = `${TAG}<script>${call}</script>`;
    document.body.append(frame);
    frames.push(frame);

    expect(await said).to.have.property('code', 'load_failed');
  });

  for (const [what, taken] of [
    ['modal dialogs', 'delete HTMLDialogElement.prototype.showModal'],
    ['dialogs', 'delete window.HTMLDialogElement'],
    [
      'adopted style sheets',
      'for (const { prototype } of [Document, ShadowRoot]) delete prototype.adoptedStyleSheets; CSSStyleSheet = class { constructor() { throw new TypeError() } }',
    ],
  ] as const) {
    it(`the script says to a page in a browser without ${what} that no popup can be shown, by script and by element (D20)`, async () => {
      const page = (await load(
        `<script>errors = []; onerror = (text) => errors.push(text); ${taken}</script>${TAG}<service-pay public-key="pub_sandbox_demo"></service-pay>`,
      )) as Page & { errors: string[] };
      const element = page.document.querySelector('service-pay')!;
      const reported: string[] = [];
      element.addEventListener('service-pay-error', ({ error }) => reported.push(error.code));

      expect(() => page.ServicePay!.getPaid(ORDER))
        .to.throw('browser')
        .with.property('code', 'load_failed');
      element.pay();

      expect(reported).to.deep.equal(['load_failed']);
      expect(page.errors).to.deep.equal([]);
      expect(page.document.querySelector('dialog')).to.equal(null);
    });
  }
});
