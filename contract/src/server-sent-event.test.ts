import { expect, test } from 'vitest';

import { parseServerSentEvent, toServerSentEvent } from './server-sent-event.ts';

test('an event has the expected lines, whatever its data contains', () => {
  const data = { text: 'a\nb\r\n\nevent: forged' };

  const written = toServerSentEvent('payment', data, '3f-7');

  const [event, id, line = '', ...end] = written.split('\n');
  expect([event, id, end]).toEqual(['event: payment', 'id: 3f-7', ['', '']]);
  expect(JSON.parse(line.replace(/^data: /, ''))).toEqual(data);
  expect(toServerSentEvent('open', {})).toBe('event: open\ndata: {}\n\n');
});

test('an event is read as it was written, and a heartbeat is none', () => {
  for (const text of ['', ': x', 'a\u2028b\u2029c', '{"event":"forged"}\n\n', 'é😀']) {
    const [block = '', ...end] = toServerSentEvent('happening', { text }, '3f-7').split('\n\n');

    expect(end).toEqual(['']);
    expect(parseServerSentEvent(block)).toEqual({
      event: 'happening',
      id: '3f-7',
      data: JSON.stringify({ text }),
    });
  }
  expect(parseServerSentEvent('event: open\ndata: {}')).toEqual({
    event: 'open',
    id: '',
    data: '{}',
  });
  expect(parseServerSentEvent(':')).toBeUndefined();
});
