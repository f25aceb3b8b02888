import { parseServerSentEvent } from '@service-pay/contract/server-sent-event';
import type { Happening } from '../storage/history.ts';

/**
 * One message of the event stream: an event, `reset` (everything before it is deleted), or `gap`
 * (some events were left out).
 */
export type News = Happening | 'reset' | 'gap';

export async function* readNews(body: AsyncIterable<Uint8Array>): AsyncGenerator<News, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const { event, data = '' } = parseServerSentEvent(block) ?? {};
      if (event === 'happening') yield JSON.parse(data) as Happening;
      else if (event === 'reset' || event === 'gap') yield event;
    }
  }
}
