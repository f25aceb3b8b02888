import { expect } from '@open-wc/testing';

import { isServicePayError, ServicePayError } from './errors.ts';

describe('ServicePayError', () => {
  it('ServicePayError is recognised by name and code, wherever it was made (D20)', () => {
    const frame = document.body.appendChild(document.createElement('iframe'));
    const { Error: ErrorThere } = frame.contentWindow as unknown as { Error: ErrorConstructor };
    const fromThere = Object.assign(new ErrorThere('made in another frame'), {
      name: 'ServicePayError',
      code: 'load_failed',
    });
    frame.remove();

    expect(isServicePayError(new ServicePayError('already_open', 'one is open'))).to.equal(true);
    expect(isServicePayError(fromThere)).to.equal(true);
    for (const other of [
      new Error('ServicePayError'),
      { code: 'load_failed' },
      null,
      undefined,
      'ServicePayError',
    ])
      expect(isServicePayError(other)).to.equal(false);
  });
});
