import { chooseLanguage, type Language } from '@service-pay/contract/languages';

import { buildNode } from '../inline/dom/build-node.ts';
import { type Messages, messages } from '../inline/messages.ts';
import { PaymentPopup } from '../inline/popup/payment-popup.ts';
import { readTheme } from '../inline/popup/theme.ts';
import { followArrows } from './keys.ts';
import { readPlace, writePlace } from './place.ts';
import { STATES } from './states.ts';

// A picture must not take the focus, which Chromium allows an inert frame's script.
if ((window.frameElement as HTMLElement | null)?.inert) {
  HTMLElement.prototype.focus = () => {};
  HTMLDialogElement.prototype.showModal = function () {
    this.open = true;
  };
}

let life = new AbortController();

// Before the popup listens, which keeps its keys to itself.
followArrows();

window.addEventListener('hashchange', () => void show());
void show();

async function show(): Promise<void> {
  // Removed first, so that it does not slide away.
  document.querySelector('service-pay-popup')?.remove();
  life.abort();
  life = new AbortController();
  const { signal } = life;
  const { hash } = location;
  const place = readPlace(hash);
  const language = chooseLanguage([place.language]);
  const popup = PaymentPopup.build({ leave() {}, retry() {}, removed() {} }, signal);
  popup.language = language;
  popup.preview = { label: 'Two tickets', amount: '10.00', currency: 'ZMW', locale: language };
  popup.show(undefined);
  popup.words = await loadWords(language);
  if (signal.aborted) return;
  await draw(popup, place);
  await popup.updateComplete;
  // The amount of a skeleton is drawn after the sheet.
  const isWhole = () =>
    'frame' in STATES[place.state]! || popup.renderRoot.querySelector('.amount bdi');
  while (!isWhole() && !signal.aborted) await new Promise(requestAnimationFrame);
  document.documentElement.dataset['shown'] = hash;
}

async function draw(popup: PaymentPopup, place: ReturnType<typeof readPlace>): Promise<void> {
  const drawn = STATES[place.state]!;
  if ('frame' in drawn) {
    const frame = buildNode('iframe', { src: `checkout.html#${writePlace(place)}` });
    frame.addEventListener('shown', () => popup.showFrame());
    const shown = new Promise((resolve) => frame.addEventListener('shown', resolve));
    popup.hold(frame);
    await shown;
    const { documentElement } = frame.contentDocument!;
    documentElement.classList.toggle('at-foot', readTheme(popup.computedStyle).place === 'foot');
    const app = frame.contentDocument!.querySelector<HTMLElement>('checkout-app')!;
    new ResizeObserver(() => {
      popup.height = app.clientHeight;
      app.style.setProperty('--high', `${app.clientHeight}px`);
    }).observe(app);
  } else if (drawn.page === 'loading' || drawn.page === 'slowLoading') popup.status = drawn.page;
  else if (drawn.page !== 'skeleton') popup.showNotice(drawn.page);
}

async function loadWords(language: Language): Promise<Messages> {
  if (language === 'en') return messages;
  return ((await import(`../inline/messages/${language}.ts`)) as { messages: Messages }).messages;
}
