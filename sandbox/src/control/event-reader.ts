import type { Happening } from '../history/history.ts';

/**
 * What an event stream tells: a happening, that everything before is forgotten, or that some of
 * what happened was left out.
 */
export type News = Happening | 'reset' | 'gap';

/** Reads server-sent events of `GET /_sandbox/events` as they come, until the stream ends. */
export async function* readNews(body: AsyncIterable<Uint8Array>): AsyncGenerator<News, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const { event, data } = Object.fromEntries(
        block.split('\n').map((line) => line.split(/: ?(.*)/s, 2)),
      );
      if (event === 'happening') yield JSON.parse(data!) as Happening;
      else if (event === 'reset' || event === 'gap') yield event;
    }
  }
}
