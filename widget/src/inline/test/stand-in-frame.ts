import { waitUntil } from '@open-wc/testing';
import type { FrameMessage, PageMessage } from '@service-pay/contract/frame-messages';

const address: string = '/stand-in-origin.js';
export const { serviceOrigin } = (await import(address)) as { serviceOrigin: string };

type Heard =
  | PageMessage
  | { type: 'service-pay:open'; request: Record<string, unknown>; theme: Record<string, unknown> };

const heard: { by: MessageEventSource | null; message: Heard }[] = [];
window.addEventListener('message', ({ data, source }) => {
  if (data?.heard) heard.push({ by: source, message: data.heard });
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
  await frame.hears('service-pay:open');
  return frame;
}

export class StandInFrame {
  readonly element: HTMLIFrameElement;
  readonly #window: Window;

  constructor(element: HTMLIFrameElement) {
    this.element = element;
    this.#window = element.contentWindow!;
  }

  heard(type?: Heard['type']): Heard[] {
    return heard
      .filter(({ by, message }) => by === this.#window && (!type || message.type === type))
      .map(({ message }) => message);
  }

  async hears(type: Heard['type'], times = 1): Promise<Heard> {
    await until(() => this.heard(type).length >= times, `the page never said ${type}`);
    return this.heard(type)[times - 1]!;
  }

  says(...messages: (FrameMessage | Record<string, unknown>)[]): void {
    this.does('say', { messages });
  }

  does(standIn: 'greet' | 'say' | 'mute' | 'reload', more: Record<string, unknown> = {}): void {
    this.#window.postMessage({ standIn, ...more }, serviceOrigin);
  }
}
