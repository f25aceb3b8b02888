/** Writes one event of a `text/event-stream`, with its data as JSON in one line. */
export function toServerSentEvent(event: string, data: unknown, id?: string): string {
  const place = id === undefined ? '' : `id: ${id}\n`;
  return `event: ${event}\n${place}data: ${JSON.stringify(data)}\n\n`;
}
