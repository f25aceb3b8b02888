import { expect } from '@open-wc/testing';

import { buildTokenStore } from './session-token.ts';

describe('session token', () => {
  afterEach(() => sessionStorage.clear());

  it('a session token is kept for its payment alone', () => {
    const store = (key: string, reference: string) =>
      buildTokenStore(() => sessionStorage, key, reference);
    store('pub_demo', 'order-1').write('secret');

    expect(store('pub_demo', 'order-1').read()).to.equal('secret');
    expect(store('pub_demo', 'order-2').read()).to.equal(undefined);
    expect(store('pub_other', 'order-1').read()).to.equal(undefined);
    expect(sessionStorage).to.have.length(1);
  });

  it('a session token is not kept where storage is blocked, and no error is thrown (T33)', () => {
    const store = buildTokenStore(
      () => {
        throw new DOMException('blocked', 'SecurityError');
      },
      'pub_demo',
      'order-1',
    );
    store.write('secret');

    expect(store.read()).to.equal(undefined);
  });
});
