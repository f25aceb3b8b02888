import { expect } from '@open-wc/testing';

import { loadServicePay } from './loader.ts';
import { serviceOrigin } from './stand-in-frame.ts';

describe('loadServicePay', () => {
  const tags = () => [...document.scripts].filter(({ src }) => src.endsWith('inline.js'));

  it('rejects where the script cannot be had, takes its tag away, and tries again on the next call (U6)', async () => {
    const lost = await loadServicePay(`${serviceOrigin}/nothing/inline.js`).catch((error) => error);

    expect(lost).to.have.property('code', 'load_failed');
    expect(tags()).to.deep.equal([]);
  });

  it('puts one tag into the page for any number of calls, and gives what it defines (U2)', async () => {
    const url = `${serviceOrigin}/js/v1/inline.js`;
    const [one, other] = await Promise.all([loadServicePay(url), loadServicePay(url)]);

    expect(one).to.equal(other);
    expect(one!.getPaid).to.be.a('function');
    expect(tags()).to.have.length(1);
    expect(await loadServicePay(url)).to.equal(one);
  });
});
