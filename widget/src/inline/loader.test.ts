import { expect, oneEvent } from '@open-wc/testing';

import { loadServicePay } from './loader.ts';
import { serviceOrigin, until } from './test/stand-in-frame.ts';

describe('loadServicePay', () => {
  const tags = () => [...document.scripts].filter(({ src }) => src.endsWith('inline.js'));

  it('loadServicePay rejects where the script cannot be had, takes its tag away, and tries again on the next call (U6)', async () => {
    const lost = await loadServicePay(`${serviceOrigin}/nothing/inline.js`).catch((error) => error);

    expect(lost).to.have.property('code', 'load_failed');
    expect(tags()).to.deep.equal([]);
  });

  it('loadServicePay tries by itself where a tag of the page has failed before, and runs only what that tag is pinned to (U6)', async () => {
    const url = `${serviceOrigin}/js/v1/inline.js`;
    const pinned = document.createElement('script');
    Object.assign(pinned, { src: url, integrity: 'sha384-AAAA', crossOrigin: 'anonymous' });
    const failed = oneEvent(pinned, 'error');
    document.head.append(pinned);
    await failed;

    for (let call = 1; call <= 2; call++) {
      expect(await loadServicePay(url).catch((error) => error)).to.have.property(
        'code',
        'load_failed',
      );
      expect(tags()).to.deep.equal([pinned]);
    }
    pinned.remove();
  });

  it('loadServicePay puts one tag into the page for any number of calls, and gives what it defines (U2)', async () => {
    const url = `${serviceOrigin}/js/v1/inline.js`;
    const [one, other] = await Promise.all([loadServicePay(url), loadServicePay(url)]);

    expect(one).to.equal(other);
    expect(one!.getPaid).to.be.a('function');
    expect(tags()).to.have.length(1);
    expect(await loadServicePay(url)).to.equal(one);
  });

  for (const [policy, outcome] of [
    ['service-pay', 'function'],
    ["'none'", 'trusted-types'],
  ] as const) {
    it(`loadServicePay ends with ${outcome} under Trusted Types that allow ${policy} (D24, T16)`, async () => {
      const frame = document.createElement('iframe');
      frame.srcdoc = `<!doctype html><meta http-equiv="Content-Security-Policy" content="require-trusted-types-for 'script'; trusted-types ${policy}">
        <script type="module">
          import { loadServicePay } from '${new URL('./loader.ts', import.meta.url)}';
          loadServicePay('${serviceOrigin}/js/v1/inline.js').then(
            ({ getPaid }) => { window.done = typeof getPaid; },
            ({ code, message }) => { window.done = code + message; },
          );
        </script>`;
      document.body.append(frame);
      const said = () => (frame.contentWindow as Window & { done?: string }).done;

      await until(said, 'the loader said nothing');
      expect(said()).to.contain(outcome);
      frame.remove();
    });
  }
});
