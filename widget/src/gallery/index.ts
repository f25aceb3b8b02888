import { LANGUAGES } from '@service-pay/contract/languages';
import { html, render, type TemplateResult } from 'lit';

import { listJourneys } from './journeys.ts';
import { followArrows } from './keys.ts';
import { readPlace, writePlace } from './place.ts';
import { STATES } from './states.ts';

const CHOICES = {
  language: LANGUAGES,
  theme: ['system', 'light', 'dark'],
  size: ['phone', 'desktop'],
} as const;
const CHOICE_NAMES = { language: 'Language', theme: 'Theme', size: 'Size' } as const;

const address = new URL(location.href);
followArrows();
draw();

function draw(): void {
  document.documentElement.dataset['theme'] = chosen('theme');
  render(address.searchParams.has('state') ? drawState() : drawIndex(), document.body);
}

function drawState(): TemplateResult {
  const place = readPlace(address.search);
  const { title } = STATES[place.state]!;
  const names = listJourneys().flatMap(([, each]) => each);
  const at = names.indexOf(place.state);
  document.title = `${title} · Every state of the popup`;
  return html`
    <nav>
      <a href=${addressOf()}>All states</a>
      ${names[at - 1] ? html`<a rel="prev" href=${addressOf(names[at - 1])}>Previous</a>` : ''}
      ${names[at + 1] ? html`<a rel="next" href=${addressOf(names[at + 1])}>Next</a>` : ''}
      <h1>${title}</h1>
    </nav>
    <iframe class="whole" title=${title} src=${`popup.html#${writePlace(place)}`}></iframe>
  `;
}

function drawIndex(): TemplateResult {
  const wanted = (address.searchParams.get('filter') ?? '').toLowerCase();
  const names = Object.keys(STATES);
  const fits = (name: string) => `${name} ${STATES[name]!.title.toLowerCase()}`.includes(wanted);
  return html`
    <header>
      <h1>Every state of the popup</h1>
      <form @submit=${(event: Event) => event.preventDefault()} @input=${choose}>
        ${Object.entries(CHOICES).map(
          ([name, options]) => html`
            <label>
              ${CHOICE_NAMES[name as keyof typeof CHOICES]}
              <select name=${name}>
                ${options.map((option) => html`<option value=${option} ?selected=${option === chosen(name as keyof typeof CHOICES)}>${name === 'language' ? nameLanguage(option) : option}</option>`)}
              </select>
            </label>
          `,
        )}
        <label>Filter <input name="filter" type="search" .value=${wanted} /></label>
      </form>
      <p class="count" role="status">${names.filter(fits).length} of ${names.length} states</p>
    </header>
    <main>
      ${listJourneys().map(
        ([title, each]) => html`
          <section ?hidden=${!each.some(fits)} aria-label=${title}>
            <h2>${title}</h2>
            <ul class=${chosen('size')}>
              ${each.map((name) => drawThumbnail(name, !fits(name)))}
            </ul>
          </section>
        `,
      )}
    </main>
  `;
}

/**
 * Draws a live, inert picture of a state with a link over it. States of the frame are shown without
 * the page around them.
 */
function drawThumbnail(state: string, isHidden: boolean): TemplateResult {
  const drawn = STATES[state]!;
  const drawnBy = 'frame' in drawn ? 'frame' : 'page';
  const page = drawnBy === 'frame' ? 'checkout.html' : 'popup.html';
  const place = writePlace({ state, language: chosen('language') });
  return html`
    <li ?hidden=${isHidden} data-state=${state} data-drawn-by=${drawnBy}>
      <div><iframe inert loading="lazy" tabindex="-1" title=${drawn.title} src=${`${page}#${place}`}></iframe></div>
      <a href=${addressOf(state)}>${drawn.title}</a>
    </li>
  `;
}

/** Names a language in its own words, with a capital letter as in a list. */
function nameLanguage(code: string): string {
  const name = new Intl.DisplayNames(code, { type: 'language' }).of(code)!;
  return name.charAt(0).toLocaleUpperCase(code) + name.slice(1);
}

function addressOf(state?: string): string {
  const next = new URL(address);
  if (state) next.searchParams.set('state', state);
  else next.searchParams.delete('state');
  return `?${next.searchParams}`;
}

function chosen<Name extends keyof typeof CHOICES>(name: Name): string {
  const options: readonly string[] = CHOICES[name];
  const wanted = address.searchParams.get(name) ?? '';
  return options.includes(wanted) ? wanted : options[0]!;
}

function choose({ target }: Event): void {
  const { name, value } = target as HTMLInputElement;
  address.searchParams.set(name, value);
  history.replaceState(null, '', address);
  draw();
}
