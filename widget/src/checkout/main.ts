import type { MerchantFacts } from '@service-pay/contract/checkout-api';
import type { FrameTheme } from '@service-pay/contract/frame-messages';
import { chooseLanguage, chooseLocale } from '@service-pay/contract/languages';
import { CheckoutApp } from './app.ts';
import { CheckoutClient } from './flow/client.ts';
import { realClock } from './flow/clock.ts';
import { previewOf, readMerchantFacts } from './flow/preview.ts';
import { buildTokenStore } from './flow/session-token.ts';
import { keepLanguage, readLanguage } from './language/kept-language.ts';
import { loadCatalogue } from './language/messages/messages.ts';
import { findPageOrigin, greetPage, type PageLink, type PageOpening } from './page/link.ts';
import { parseTheme } from './page/theme.ts';
import { pageStyles } from './styles/base.ts';

/** A page that pays at once has sent its request by then; otherwise this frame was preloaded. */
const REHEARSAL_AFTER_MS = 300;

document.adoptedStyleSheets = [pageStyles.styleSheet!];

const origin = findPageOrigin(location.search);
if (origin && window.parent !== window) listenTo(origin);

function listenTo(origin: string): void {
  let app: CheckoutApp | undefined;
  const facts = readMerchantFacts(document);
  /** Loads what the first form does not need, and draws a form that nobody sees. */
  const rehearse = async (): Promise<void> => {
    // A file that does not load now is loaded again with the session.
    const screens = await import('./lazy.ts').catch(() => undefined);
    if (!app) await screens?.rehearse(facts, realClock);
  };
  const cancel = realClock.after(REHEARSAL_AFTER_MS, () => void rehearse());
  const link: PageLink = greetPage({
    window,
    origin,
    publicKey: new URLSearchParams(location.search).get('key'),
    onOpen(opening) {
      cancel();
      if (app && app.deps.request.reference !== opening.request.reference) return;
      if (app) app.repeatReports();
      else app = buildApp(opening, facts, link);
      applyTheme(app, opening.theme);
    },
    onMessage(message) {
      if (message.type === 'leave') app?.leave(message.by, message.at);
      else app?.refocus();
    },
  });
}

function buildApp(
  { request, isUnconfirmed }: PageOpening,
  facts: MerchantFacts | undefined,
  link: PageLink,
): CheckoutApp {
  const checkout = new CheckoutClient({
    fetch: (path, init) => fetch(path, init),
    clock: realClock,
    tokens: buildTokenStore(() => sessionStorage, request.key, request.reference),
    loadScreens: async () => {
      const screens = await import('./lazy.ts');
      // Called each time the session opens; the sheet glides once.
      if (!app.screens) screens.glide(app);
      app.screens = screens;
    },
    request,
  });
  const preview = previewOf(facts, request);
  const requested = chooseLocale([request.locale, ...navigator.languages]);
  const kept = readLanguage(() => localStorage);
  const own = chooseLocale(navigator.languages);
  const app = new CheckoutApp();
  const tellHeight = () => {
    const px = Math.ceil(app.getBoundingClientRect().height);
    const lastPx = app.renderRoot.querySelector<HTMLElement>('.last')?.offsetHeight;
    app.style.setProperty('--high', `${px}px`);
    if (lastPx) app.style.setProperty('--last-line', `${lastPx}px`);
    void link.send({ type: 'height', px });
  };
  app.deps = {
    checkout,
    clock: realClock,
    newId: () => app.screens!.buildAttemptId(),
    request,
    facts,
    preview,
    isUnconfirmed,
    locale: kept && kept !== chooseLanguage([requested]) ? kept : requested,
    requested,
    offered: !kept && navigator.languages.includes(own) ? chooseLanguage([own]) : undefined,
    keepLanguage: (language) => keepLanguage(() => localStorage, language),
    loadCatalogue,
    send: (message) => {
      // Before `shown`, so that the sheet already has the form's height.
      if (message.type === 'shown') tellHeight();
      return link.send(message);
    },
  };
  document.body.append(app);
  new ResizeObserver(tellHeight).observe(app);
  return app;
}

/** Takes the page's colours and shape, now and when its sheet takes another place. */
function applyTheme(app: CheckoutApp, theme: FrameTheme): void {
  for (const [name, value] of Object.entries(parseTheme({ ...theme }, app)))
    app.style.setProperty(name, value);
  document.documentElement.classList.toggle('at-foot', theme.place === 'foot');
}
