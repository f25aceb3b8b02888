import { expect, test } from 'vitest';

import { toServerSentEvent } from './server-sent-event.ts';

test('an event has the expected lines, whatever its data contains', () => {
  const data = { text: 'a\nb\r\n\nevent: forged' };

  const written = toServerSentEvent('payment', data, '3f-7');

  const [event, id, line = '', ...end] = written.split('\n');
  expect([event, id, end]).toEqual(['event: payment', 'id: 3f-7', ['', '']]);
  expect(JSON.parse(line.replace(/^data: /, ''))).toEqual(data);
  expect(toServerSentEvent('open', {})).toBe('event: open\ndata: {}\n\n');
});
