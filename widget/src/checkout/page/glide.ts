/** The parts that keep their shape while their place changes. None is inside another. */
const PIECES =
  '.head, .opening, .news, .lead, .fields > *, .foot, .ways, .screen, .challenge, .actions, .last';

/** As the sheet's edge moves. Its slow start hides that frame and page draw a moment apart. */
const GLIDE = { duration: 200, easing: 'ease', fill: 'backwards' } as const;

/** What moves down waits until the page has begun to lower the sheet's edge, which comes first. */
const AFTER_EDGE_MS = 48;

/** Lets everything that a change of height moves glide from its old place, without another layout. */
export function glide(app: HTMLElement): void {
  let before = findPlaces(app.shadowRoot!);
  window.addEventListener('resize', () => {
    before = findPlaces(app.shadowRoot!);
  });
  new ResizeObserver(() => {
    const now = findPlaces(app.shadowRoot!);
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    for (const [piece, place] of isStill ? [] : now) {
      const px = (before.get(piece) ?? place) - place;
      if (px)
        // Starts at once, as the sheet does, and not when its first frame has been drawn.
        piece.animate(
          { translate: [`0 ${px}px`, '0'] },
          { ...GLIDE, delay: px < 0 ? AFTER_EDGE_MS : 0, composite: 'add' },
        ).startTime = document.timeline.currentTime;
    }
    before = now;
  }).observe(app);
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
