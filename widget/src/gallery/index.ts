import { LANGUAGES } from '@service-pay/contract/languages';
import { html, render, type TemplateResult } from 'lit';

import { readPlace, writePlace } from './place.ts';
import { STATES } from './states.ts';

/**
 * What a visitor may choose. Each choice is a parameter of the address, so that a view can be
 * handed on.
 */
const CHOICES = {
  language: LANGUAGES,
  theme: ['system', 'light', 'dark'],
  size: ['phone', 'desktop'],
} as const;
const CHOICE_NAMES = { language: 'Language', theme: 'Theme', size: 'Size' } as const;

const address = new URL(location.href);
draw();

/** Draws the one state that the address names, as the customer sees it, or else all of them. */
function draw(): void {
  document.documentElement.dataset['theme'] = chosen('theme');
  render(address.searchParams.has('state') ? drawState() : drawIndex(), document.body);
}

function drawState(): TemplateResult {
  const place = readPlace(address.search);
  const { title } = STATES[place.state]!;
  document.title = `${title} · Every state of the popup`;
  return html`<iframe class="whole" title=${title} src=${`popup.html#${writePlace(place)}`}></iframe>`;
}

function drawIndex(): TemplateResult {
  const wanted = (address.searchParams.get('filter') ?? '').toLowerCase();
  const states = Object.entries(STATES);
  const fits = ([name, { title }]: (typeof states)[number]) =>
    `${name} ${title.toLowerCase()}`.includes(wanted);
  return html`
    <header>
      <h1>Every state of the popup</h1>
      <form @submit=${(event: Event) => event.preventDefault()} @input=${choose}>
        ${Object.entries(CHOICES).map(
          ([name, options]) => html`
            <label>
              ${CHOICE_NAMES[name as keyof typeof CHOICES]}
              <select name=${name}>
                ${options.map((option) => html`<option ?selected=${option === chosen(name as keyof typeof CHOICES)}>${option}</option>`)}
              </select>
            </label>
          `,
        )}
        <label>Filter <input name="filter" type="search" .value=${wanted} /></label>
      </form>
      <p class="count" role="status">${states.filter(fits).length} of ${states.length} states</p>
    </header>
    <main>
      <ul class=${chosen('size')}>
        ${states.map((entry) => drawThumbnail(entry[0], !fits(entry)))}
      </ul>
    </main>
  `;
}

/** A live picture of a state that takes no focus, and the link to it over the whole. */
function drawThumbnail(state: string, isHidden: boolean): TemplateResult {
  const drawn = STATES[state]!;
  const place = { state, language: chosen('language') };
  return html`
    <li ?hidden=${isHidden} data-state=${state} data-drawn-by=${'frame' in drawn ? 'frame' : 'page'}>
      <div><iframe inert loading="lazy" title=${drawn.title} src=${`popup.html#${writePlace(place)}`}></iframe></div>
      <a href=${`?${writePlace(place)}&theme=${chosen('theme')}`}>${drawn.title}</a>
    </li>
  `;
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
