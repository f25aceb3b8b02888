/** The parts that keep their shape while their place changes. None is inside another. */
const PIECES =
  '.head, .opening, .news, .lead, .fields > *, .foot, .ways, .screen, .challenge, .actions, .last';

/** As long as the page takes to move its shadow and Close. */
const GLIDE = { duration: 200, easing: 'ease', fill: 'backwards' } as const;

/** How far content may lie behind head and last line, which are higher. */
const BEHIND_PX = 24;

/**
 * Lets the sheet's edge, and everything that a change of height moves, glide from its old place,
 * without another layout. All of it starts at one time, so that head and last line stay at the edge.
 */
export function glide(app: HTMLElement): void {
  const root = app.shadowRoot!;
  const look = () => ({ edge: findEdge(app), places: findPlaces(root) });
  let before = look();
  window.addEventListener('resize', () => {
    before = look();
  });
  new ResizeObserver(() => {
    const now = look();
    const edgePx = before.edge - now.edge;
    const starting = matchMedia('(prefers-reduced-motion: reduce)').matches
      ? []
      : [
          slide(app, edgePx, '::before'),
          cut(root.querySelector('.body')!, edgePx),
          ...[...now.places].map(([piece, place]) =>
            slide(piece, (before.places.get(piece) ?? place) - place),
          ),
        ];
    // Starts at once, and not when its first frame has been drawn.
    for (const animation of starting)
      if (animation) animation.startTime = document.timeline.currentTime;
    before = now;
  }).observe(app);
}

function slide(piece: Element, px: number, pseudoElement?: string): Animation | undefined {
  if (!px) return undefined;
  return piece.animate(
    { translate: [`0 ${px}px`, '0'] },
    { ...GLIDE, composite: 'add', ...(pseudoElement && { pseudoElement }) },
  );
}

/** Shows none of the content beyond the moving edge. */
function cut(body: Element, edgePx: number): Animation | undefined {
  if (!edgePx) return undefined;
  const inset = (px: number) =>
    isAtFoot() ? `inset(${px - BEHIND_PX}px 0 0)` : `inset(0 0 ${-px - BEHIND_PX}px)`;
  return body.animate({ clipPath: [inset(edgePx), inset(0)] }, GLIDE);
}

function isAtFoot(): boolean {
  return document.documentElement.classList.contains('at-foot');
}

/** Returns the distance of the sheet's edge from the document's, as `--edge` in `tokens`. */
function findEdge(app: Element): number {
  const px = Math.ceil(app.getBoundingClientRect().height) - innerHeight;
  return isAtFoot() ? Math.max(0, -px) : Math.min(0, px);
}

/** Returns the distance of each piece from the top of the frame, as if nothing moved. */
function findPlaces(
  { children }: Element | ShadowRoot,
  places = new Map<Element, number>(),
): Map<Element, number> {
  for (const child of children) {
    if (!child.matches(PIECES)) {
      findPlaces(child.shadowRoot ?? child, places);
      continue;
    }
    const [, y = '0'] = getComputedStyle(child).translate.split(' ');
    places.set(child, child.getBoundingClientRect().top - Number.parseFloat(y));
  }
  return places;
}
