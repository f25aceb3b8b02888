import { waitUntil } from '@open-wc/testing';
import type { FrameMessage, PageMessage } from '@service-pay/contract/frame-messages';

const address: string = '/stand-in-origin.js';
export const { serviceOrigin } = (await import(address)) as { serviceOrigin: string };

type Received =
  | PageMessage
  | { type: 'service-pay:open'; request: Record<string, unknown>; theme: Record<string, unknown> };

const received: { by: MessageEventSource | null; message: Received }[] = [];
window.addEventListener('message', ({ data, source }) => {
  if (data?.received) received.push({ by: source, message: data.received });
});

export function find<Found extends Element = HTMLElement>(
  selector: string,
  from: ParentNode = document,
): Found | undefined {
  const found = from.querySelector<Found>(selector);
  if (found) return found;
  for (const { shadowRoot } of from.querySelectorAll('*')) {
    const inside = shadowRoot && find<Found>(selector, shadowRoot);
    if (inside) return inside;
  }
  return undefined;
}

export function until(condition: () => unknown, missing?: string): Promise<void> {
  return waitUntil(condition, missing, { interval: 5, timeout: 8_000 });
}

export async function findSoon<Found extends Element = HTMLElement>(
  selector: string,
): Promise<Found> {
  await until(() => find(selector), `nothing fits ${selector}`);
  return find<Found>(selector)!;
}

export async function openedFrame(): Promise<StandInFrame> {
  const frame = new StandInFrame(await findSoon<HTMLIFrameElement>('iframe'));
  await frame.receives('service-pay:open');
  return frame;
}

export class StandInFrame {
  readonly element: HTMLIFrameElement;
  readonly #window: Window;

  constructor(element: HTMLIFrameElement) {
    this.element = element;
    this.#window = element.contentWindow!;
  }

  received(type?: Received['type']): Received[] {
    return received
      .filter(({ by, message }) => by === this.#window && (!type || message.type === type))
      .map(({ message }) => message);
  }

  async receives(type: Received['type'], times = 1): Promise<Received> {
    await until(() => this.received(type).length >= times, `the page never said ${type}`);
    return this.received(type)[times - 1]!;
  }

  says(...messages: (FrameMessage | Record<string, unknown>)[]): void {
    this.does('say', { messages });
  }

  does(standIn: 'greet' | 'say' | 'mute' | 'reload', more: Record<string, unknown> = {}): void {
    this.#window.postMessage({ standIn, ...more }, serviceOrigin);
  }
}
