import { buildNode } from '../inline/build-node.ts';
import { messages } from '../inline/messages.ts';
import { PaymentDialog } from '../inline/payment-dialog.ts';
import { readPlace, writePlace } from './place.ts';
import { STATES } from './states.ts';

let life = new AbortController();

window.addEventListener('hashchange', show);
show();

/** Opens the dialog over this page in the state that the address names, and marks the document once it stands. */
function show(): void {
  life.abort();
  life = new AbortController();
  const root = document.documentElement;
  const { hash } = location;
  const place = readPlace(hash);
  const drawn = STATES[place.state]!;
  const dialog = new PaymentDialog({ leave() {}, retry() {}, removed() {} }, life.signal);
  dialog.show(undefined);
  const stands = () => {
    root.dataset['stands'] = hash;
  };
  if ('page' in drawn) {
    if (drawn.page === 'skeleton') dialog.showSkeleton();
    else dialog.showNotice(drawn.page);
    stands();
    return;
  }
  const frame = buildNode('iframe', { title: messages.frame, src: `checkout.html#${writePlace(place)}` });
  frame.addEventListener('shown', () => dialog.showFrame());
  frame.addEventListener('stands', stands);
  dialog.hold(frame);
}
