/** The parts that keep their shape while their place changes. None is inside another. */
const PIECES =
  '.head, .opening, .news, .lead, .fields > *, .foot, .ways, .screen, .challenge, .actions, .last';

/** As the sheet's edge moves. Its slow start hides that frame and page draw a moment apart. */
const GLIDE = { duration: 200, easing: 'ease' };

/**
 * Lets everything that a change of height moves glide from its old place, without another layout.
 * What would glide from beyond the lower edge of the sheet is there at once.
 */
export function glide(app: HTMLElement): void {
  let before = findPlaces(app.shadowRoot!);
  window.addEventListener('resize', () => {
    before = findPlaces(app.shadowRoot!);
  });
  new ResizeObserver(() => {
    const now = findPlaces(app.shadowRoot!);
    const isLow = document.documentElement.matches('.low');
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    for (const [piece, place] of isStill ? [] : now) {
      const px = (before.get(piece) ?? place) - place;
      if (px < 0 || (px > 0 && isLow))
        // Starts at once, as the sheet does, and not when its first frame has been drawn.
        piece.animate({ translate: [`0 ${px}px`, '0'] }, { ...GLIDE, composite: 'add' }).startTime =
          document.timeline.currentTime;
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
