/** Writes one event of a `text/event-stream`, with its data as JSON in one line. */
export function toServerSentEvent(event: string, data: unknown, id?: string): string {
  const place = id === undefined ? '' : `id: ${id}\n`;
  return `event: ${event}\n${place}data: ${JSON.stringify(data)}\n\n`;
}

export interface ServerSentEvent {
  event: string;
  id: string;
  data: string;
}

/**
 * Reads one event that `toServerSentEvent` wrote, without the blank line at its end. Returns
 * undefined for a comment, such as a heartbeat.
 */
export function parseServerSentEvent(block: string): ServerSentEvent | undefined {
  const lines = block.split('\n').map((line) => line.split(/: (.*)/s, 2));
  const { event, id = '', data = '' }: Record<string, string> = Object.fromEntries(lines);
  return event === undefined ? undefined : { event, id, data };
}
