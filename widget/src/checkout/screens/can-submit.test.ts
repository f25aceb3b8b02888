import { expect } from '@open-wc/testing';

import { canSubmit } from './can-submit.ts';

for (const [flags, expected] of [
  ['allow-same-origin', false],
  ['allow-same-origin allow-forms', true],
] as const) {
  it(`a page sandboxed with ${flags} ${expected ? 'can' : 'cannot'} submit forms (T127)`, async () => {
    const frame = document.createElement('iframe');
    frame.setAttribute('sandbox', `allow-scripts ${flags}`);
    frame.srcdoc = '<!doctype html>';
    const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
    document.body.append(frame);
    await loaded;

    expect(canSubmit(frame.contentDocument!)).to.equal(expected);
    expect(frame.contentDocument!.forms).to.have.length(0);
    frame.remove();
  });
}
