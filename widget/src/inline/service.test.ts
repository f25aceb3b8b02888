import { expect } from '@open-wc/testing';

import { findService, pageOrigin } from './service.ts';

describe('the address of the service', () => {
  for (const [address, origin] of [
    ['https://pay.example', 'https://pay.example'],
    [' HTTPS://Pay.Example:443/js/v1/inline.js?v=2 ', 'https://pay.example'],
    ['https://pay.example:8443#top', 'https://pay.example:8443'],
    ['http://localhost:80/', 'http://localhost'],
    ['http://127.0.0.1:4010', 'http://127.0.0.1:4010'],
    ['http://[::1]:4010/', 'http://[::1]:4010'],
  ] as const) {
    it(`the address of the service is read from "${address}" as browsers name its origin`, () => {
      expect(findService(address)).to.equal(origin);
    });
  }

  for (const address of [
    'javascript:alert(1)',
    'data:text/html,x',
    '//pay.example',
    'pay.example',
    'http://pay.example',
    'http://localhost.evil.example',
    'https://user@pay.example',
    'https://pay.example:x@evil.example',
    'https://pay.example\\@evil.example',
    'https://pay.example evil',
    'https://',
  ]) {
    it(`the address of the service is not guessed from "${address}" (T9, D22)`, () => {
      expect(() => findService(address))
        .to.throw()
        .with.property('code', 'not_configured');
    });
  }

  it("pageOrigin returns the page's own origin", () => {
    expect(pageOrigin()).to.equal(location.origin);
  });
});
