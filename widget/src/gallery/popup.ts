import { chooseLanguage, type Language } from '@service-pay/contract/languages';

import { buildNode } from '../inline/build-node.ts';
import { type Messages, messages } from '../inline/messages.ts';
import { PaymentDialog } from '../inline/payment-dialog.ts';
import { readPlace, writePlace } from './place.ts';
import { STATES } from './states.ts';

let life = new AbortController();

window.addEventListener('hashchange', () => void show());
void show();

/**
 * Opens the dialog over this page in the state that the address names, and marks the document once
 * it stands.
 */
async function show(): Promise<void> {
  life.abort();
  life = new AbortController();
  const { signal } = life;
  const { hash } = location;
  const place = readPlace(hash);
  const language = chooseLanguage([place.language]);
  const dialog = new PaymentDialog({ leave() {}, retry() {}, removed() {} }, signal);
  dialog.turn(language);
  dialog.show(undefined);
  dialog.speak(await loadWords(language));
  if (signal.aborted) return;
  await draw(dialog, place);
  document.documentElement.dataset['stands'] = hash;
}

async function draw(dialog: PaymentDialog, place: ReturnType<typeof readPlace>): Promise<void> {
  const drawn = STATES[place.state]!;
  if ('frame' in drawn) {
    const frame = buildNode('iframe', { src: `checkout.html#${writePlace(place)}` });
    frame.addEventListener('shown', () => dialog.showFrame());
    const stands = new Promise((resolve) => frame.addEventListener('stands', resolve));
    dialog.hold(frame);
    await stands;
  } else if (drawn.page === 'skeleton') dialog.showSkeleton();
  else if (drawn.page === 'loading') {
    dialog.showSkeleton();
    finishAnimations();
  } else dialog.showNotice(drawn.page);
}

/** Brings everything to where it is after a while, but what goes on for ever. */
function finishAnimations(): void {
  for (const animation of document.getAnimations()) {
    if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish();
  }
}

/** The sources of the files that a service has beside its script. */
async function loadWords(language: Language): Promise<Messages> {
  if (language === 'en') return messages;
  return ((await import(`../inline/messages/${language}.ts`)) as { messages: Messages }).messages;
}
