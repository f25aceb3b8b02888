import { expect } from '@open-wc/testing';

import { isUnconfirmed, keepUnconfirmed } from './unconfirmed-payments.ts';

const SERVICE = 'https://pay.example';

describe('unconfirmed payments', () => {
  const { getItem, setItem } = Storage.prototype;

  afterEach(() => {
    Object.assign(Storage.prototype, { getItem, setItem });
    sessionStorage.clear();
  });

  it('unconfirmed payments are stored by service and reference, and nothing else, until they are known to move nothing (T118)', () => {
    keepUnconfirmed(`${SERVICE}/order-1`, true);
    keepUnconfirmed(`${SERVICE}/order-1`, true);
    keepUnconfirmed('https://other.example/order-1', true);

    expect(Object.values(sessionStorage)).to.deep.equal([
      `${SERVICE}/order-1 https://other.example/order-1`,
    ]);
    expect([
      isUnconfirmed(`${SERVICE}/order-1`),
      isUnconfirmed(`${SERVICE}/order-2`),
    ]).to.deep.equal([true, false]);

    keepUnconfirmed(`${SERVICE}/order-1`, false);
    keepUnconfirmed('https://other.example/order-1', false);
    expect(isUnconfirmed(`${SERVICE}/order-1`)).to.equal(false);
    expect(sessionStorage).to.have.length(0);
  });

  it('the newest 20 unconfirmed payments are stored, and every one is kept in memory', () => {
    for (let made = 1; made <= 21; made++) keepUnconfirmed(`${SERVICE}/many-${made}`, true);

    const [stored = ''] = Object.values(sessionStorage);
    expect(stored.split(' ')).to.have.length(20);
    expect([stored.includes('many-1 '), stored.endsWith('/many-21')]).to.deep.equal([false, true]);
    expect(isUnconfirmed(`${SERVICE}/many-1`)).to.equal(true);
  });

  for (const method of ['getItem', 'setItem'] as const) {
    it(`unconfirmed payments are kept in memory where ${method} throws (T33)`, () => {
      Storage.prototype[method] = () => {
        throw new DOMException('blocked or full');
      };
      keepUnconfirmed(`${SERVICE}/${method}`, true);
      expect(isUnconfirmed(`${SERVICE}/${method}`)).to.equal(true);

      keepUnconfirmed(`${SERVICE}/${method}`, false);
      expect(isUnconfirmed(`${SERVICE}/${method}`)).to.equal(false);
    });
  }
});
