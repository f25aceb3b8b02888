import { loadCatalogue } from '../checkout/language/messages/messages.ts';
import { pageStyles } from '../checkout/styles/base.ts';
import { followArrows } from './keys.ts';
import { readPlace } from './place.ts';
import { Stage } from './stage.ts';
import { STATES } from './states.ts';

document.adoptedStyleSheets = [pageStyles.styleSheet!];
// Chromium lets a script take the focus into an inert frame.
const isPicture = (window.frameElement as HTMLElement | null)?.inert ?? false;
document.documentElement.inert = isPicture;
// A picture scrolls itself alone, not the page around it.
const { scrollIntoView } = Element.prototype;
if (isPicture)
  Element.prototype.scrollIntoView = function (options: object) {
    scrollIntoView.call(this, { ...options, container: 'nearest' } as ScrollIntoViewOptions);
  };
followArrows();
window.addEventListener('hashchange', show);
void show();

async function show(): Promise<void> {
  const { hash } = location;
  const { state, language } = readPlace(hash);
  const drawn = STATES[state]!;
  if (!('frame' in drawn)) throw new Error(`The page's side draws ${state}.`);
  const root = document.documentElement;
  const catalogue = await loadCatalogue(language);
  await new Stage(drawn.frame, catalogue).play(document.body, () =>
    window.frameElement?.dispatchEvent(new Event('shown')),
  );
  root.dataset['shown'] = hash;
  window.frameElement?.dispatchEvent(new Event('shown'));
}
