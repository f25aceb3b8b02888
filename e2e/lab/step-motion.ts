import type { Frame, Page } from '@playwright/test';

/** The motion that a customer saw between two steps, frame by frame (B12, B13). */
export interface StepMotion {
  frames: number;
  /** The opacity of the strongest text of the step, where it was weakest. */
  lowestOpacity: number;
  /** Frames in which no text of a step could be seen. */
  emptyFrames: number;
  /** How far the head lay from the sheet's upper edge, and the last line from its lower one. */
  headOffPx: number;
  footOffPx: number;
  /** How far the upper edge of the sheet, and the last line, moved on the screen. */
  topMovedPx: number;
  footMovedPx: number;
  /** The edge moved by degrees, however few of them were painted. */
  isGliding: boolean;
}

interface Sample {
  opacity: number;
  headTop: number;
  footBottom: number;
  top: number;
  bottom: number;
  isGliding: boolean;
}

type Length = Exclude<keyof Sample, 'isGliding'>;

type Sampled = { samples?: Sample[] };

/** The change has ended once this many frames were alike. */
const ALIKE_FRAMES = 20;

/**
 * Measures every frame from now until `act` has led to a picture that no longer changes. The sheet
 * and all that moves with it are in the checkout frame, and the page moves nothing that is visible
 * in it, so that one document knows all.
 */
export async function watchStep(page: Page, act: () => Promise<unknown>): Promise<StepMotion> {
  const frame = page.frames().find((each) => each.url().includes('/checkout/v1/'))!;
  const offset = await frameTop(frame);
  await frame.evaluate(startSampling);
  await act();
  await frame.waitForFunction((count) => {
    const last = (window as Sampled).samples!.slice(-count);
    return (
      last.length === count && new Set(last.map((sample) => JSON.stringify(sample))).size === 1
    );
  }, ALIKE_FRAMES);
  const samples = await frame.evaluate(stopSampling);
  if ((await frameTop(frame)) !== offset) throw new Error('The page moved the frame.');
  return summarize(samples);
}

async function frameTop(frame: Frame): Promise<number> {
  const element = await frame.frameElement();
  return element.evaluate((node) => (node as Element).getBoundingClientRect().top);
}

function summarize(samples: Sample[]): StepMotion {
  const of = (member: Length) => samples.map((sample) => sample[member]);
  const widest = (one: Length, other: Length) =>
    Math.round(Math.max(...samples.map((sample) => Math.abs(sample[one] - sample[other]))));
  const spread = (values: number[]) => Math.round(Math.max(...values) - Math.min(...values));
  return {
    frames: samples.length,
    lowestOpacity: Math.min(...of('opacity')),
    emptyFrames: of('opacity').filter((opacity) => opacity < 0.05).length,
    headOffPx: widest('headTop', 'top'),
    footOffPx: widest('footBottom', 'bottom'),
    topMovedPx: spread(of('top')),
    footMovedPx: spread(of('footBottom')),
    isGliding: samples.some(({ isGliding }) => isGliding),
  };
}

function stopSampling(): Sample[] {
  const { samples = [] } = window as Sampled;
  delete (window as Sampled).samples;
  return samples;
}

/**
 * Takes a sample of each frame as it is painted: after its layout, and after all that observes its
 * sizes. A task of its own could meet a change that is not painted yet.
 */
function startSampling(): void {
  const samples: Sample[] = [];
  (window as Sampled).samples = samples;
  const app = document.querySelector('checkout-app')!;
  const root = app.shadowRoot!;
  const hasText = ({ childNodes }: Element) =>
    [...childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.nodeValue!.trim());
  const strongest = (node: Element | ShadowRoot, opacity = 1): number =>
    Math.max(
      0,
      ...[...node.children].map((child) => {
        const own = opacity * Number(getComputedStyle(child).opacity);
        const { height } = child.getBoundingClientRect();
        const isShown = height > 1 && hasText(child);
        const inside = strongest(child.shadowRoot ?? child, own);
        return Math.max(isShown ? own : 0, inside);
      }),
    );
  const look = () => {
    const body = root.querySelector('.body')!;
    const [, moved = '0'] = getComputedStyle(app, '::before').translate.split(' ');
    const edge = Number.parseFloat(moved);
    samples.push({
      opacity: strongest(body, Number(getComputedStyle(body).opacity)),
      headTop: root.querySelector('.head')!.getBoundingClientRect().top,
      footBottom: root.querySelector('.last')!.getBoundingClientRect().bottom,
      top: Math.max(0, edge),
      bottom: Math.min(innerHeight, innerHeight + edge),
      isGliding: app
        .getAnimations({ subtree: true })
        .some(({ effect }) => (effect as KeyframeEffect).pseudoElement === '::before'),
    });
  };
  const probe = document.body.appendChild(document.createElement('div'));
  probe.style.position = 'fixed';
  const observer = new ResizeObserver(look);
  observer.observe(probe);
  const resize = () => {
    if ((window as Sampled).samples !== samples) {
      observer.disconnect();
      probe.remove();
      return;
    }
    probe.style.inlineSize = probe.style.inlineSize === '1px' ? '2px' : '1px';
    requestAnimationFrame(resize);
  };
  requestAnimationFrame(resize);
}
