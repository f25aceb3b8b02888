import { expect, test } from 'vitest';

import { OpenStreams } from './open-streams.ts';

test('event streams are limited in total, whether their address is known or not (T121)', () => {
  const open = new OpenStreams();
  const removes = Array.from({ length: 5_000 }, (_, at) =>
    open.add(at % 2 ? `192.0.${at >> 8}.${at & 255}` : undefined),
  );

  expect(() => open.add(undefined)).toThrow('Too many event streams are open');
  removes[0]!();
  removes[0]!();

  open.add('192.0.2.1');
  expect(() => open.add('192.0.2.1')).toThrow('Too many event streams are open');
});
