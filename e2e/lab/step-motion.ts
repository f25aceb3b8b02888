import type { Frame, Page } from '@playwright/test';

/** The motion that a customer saw between two steps, frame by frame (B12). */
export interface StepMotion {
  frames: number;
  /** The opacity of the strongest text of the step, where it was weakest. */
  lowestOpacity: number;
  /** Frames in which no text of a step could be seen. */
  emptyFrames: number;
  /** How far the frame's last line was below the lower edge of the sheet, at most. */
  footBelowPx: number;
  /** How far the foot moved on the screen, from the highest place to the lowest. */
  footMovedPx: number;
  /** How far the upper edge of the sheet moved, and in how many places it was seen. */
  sheetMovedPx: number;
  placesOfSheet: number;
  /** In how many places the lower edge of the sheet was seen. */
  placesOfEdge: number;
}

interface Sample {
  at: number;
  opacity?: number;
  foot?: number;
  frameTop?: number;
  top?: number;
  edge?: number;
}

type Sampled = { samples?: Sample[] };

/** The change has ended once this many frames were alike. */
const ALIKE_FRAMES = 20;

/**
 * Measures every frame from now until `act` has led to a picture that no longer changes. Page and
 * frame are sampled once each of their frames is drawn, and joined by its time.
 */
export async function watchStep(page: Page, act: () => Promise<unknown>): Promise<StepMotion> {
  const frame = page.frames().find((each) => each.url().includes('/checkout/v1/'))!;
  const places: (Page | Frame)[] = [page, frame];
  for (const place of places) await place.evaluate(startSampling);
  await act();
  for (const place of places)
    await place.waitForFunction((count) => {
      const last = (window as Sampled).samples!.slice(-count);
      return (
        last.length === count &&
        new Set(last.map(({ at: _, ...others }) => JSON.stringify(others))).size === 1
      );
    }, ALIKE_FRAMES);
  const [ofPage, ofFrame] = await Promise.all(places.map((place) => place.evaluate(stopSampling)));
  return summarize(ofPage!, ofFrame!);
}

function summarize(ofPage: Sample[], ofFrame: Sample[]): StepMotion {
  const opacities = ofFrame.map(({ opacity = 0 }) => opacity);
  const joined = ofFrame.map(({ at, foot = 0 }) => {
    const { frameTop = 0, edge = 0 } = ofPage.findLast((sample) => sample.at <= at) ?? ofPage[0]!;
    return { foot: frameTop + foot, edge };
  });
  const tops = ofPage.map(({ top = 0 }) => top);
  const feet = joined.map(({ foot }) => foot);
  return {
    frames: ofFrame.length,
    lowestOpacity: Math.min(...opacities),
    emptyFrames: opacities.filter((opacity) => opacity < 0.05).length,
    footBelowPx: Math.round(Math.max(0, ...joined.map(({ foot, edge }) => foot - edge))),
    footMovedPx: Math.round(spread(feet)),
    sheetMovedPx: Math.round(spread(tops)),
    placesOfSheet: new Set(tops.map(Math.round)).size,
    placesOfEdge: new Set(ofPage.map(({ edge = 0 }) => Math.round(edge))).size,
  };
}

function spread(values: readonly number[]): number {
  return Math.max(...values) - Math.min(...values);
}

function stopSampling(): Sample[] {
  const { samples = [] } = window as Sampled;
  delete (window as Sampled).samples;
  return samples;
}

function startSampling(): void {
  const samples: Sample[] = [];
  (window as Sampled).samples = samples;
  const find = (selector: string, root: ParentNode = document): Element | undefined => {
    const found = root.querySelector(selector);
    if (found) return found;
    for (const { shadowRoot } of root.querySelectorAll('*')) {
      const inside = shadowRoot && find(selector, shadowRoot);
      if (inside) return inside;
    }
    return undefined;
  };
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
  const look = (time: number) => {
    if ((window as Sampled).samples !== samples) return;
    const sample: Sample = { at: performance.timeOrigin + time };
    const body = find('.body');
    if (body) {
      sample.opacity = strongest(body, Number(getComputedStyle(body).opacity));
      sample.foot = find('.last')?.getBoundingClientRect().bottom ?? 0;
    } else {
      sample.frameTop = find('iframe')?.getBoundingClientRect().top ?? 0;
      const { top = 0, bottom = 0 } = find('.card')?.getBoundingClientRect() ?? {};
      sample.top = top;
      sample.edge = Math.min(bottom, innerHeight);
    }
    samples.push(sample);
    lookLater();
  };
  const lookLater = () =>
    requestAnimationFrame((time) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => look(time);
      port2.postMessage(undefined);
    });
  lookLater();
}
