import { expect } from '@open-wc/testing';

import { buildAttemptId } from './attempt-id.ts';

describe('attempt id', () => {
  it('an attempt id is a random UUID, another each time', () => {
    const ids = Array.from({ length: 100 }, buildAttemptId);

    expect(new Set(ids)).to.have.property('size', 100);
    for (const id of ids)
      expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
