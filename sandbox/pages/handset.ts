// A test phone with its prompts and one-time codes.

import type { Handset } from '../src/control/outputs.ts';
import { pinDots, pinPad, typeKey } from './handset/pin-pad.ts';
import { FocusKeeper, PageElement } from './parts/elements.ts';
import { followEvents } from './parts/event-stream.ts';
import { money, timeLeft, timeOfDay } from './parts/formats.ts';
import { html, nothing, repeat } from './parts/lit.ts';
import { Refresher } from './parts/refresher.ts';
import { CallError, send, setToken } from './parts/sandbox-client.ts';
import { sandboxNow, setClock } from './parts/sandbox-time.ts';
import { everySecond } from './parts/times.ts';

export type Message = Handset['out'][number];

/** Without a stream the phone polls this often; with one, only in case an event was lost. */
const POLL_MS = 1_000;
const POLL_WHEN_LIVE_MS = 10_000;
const MOST_PAST = 5;
/** Kinds of events that can change the messages on a phone. */
const CHANGES_PHONE = ['attempt', 'state', 'session', 'control'];
const NOTHING_YET = 'Nothing to approve. Prompts appear here as soon as they are sent.';

class TestPhone extends PageElement {
  #numberInPath = readNumber();
  #phone: Handset | undefined;
  #out: Message[] = [];
  #past: { key: string; text: string; message: Message }[] = [];
  /** This page knows its own answers before the messages disappear. */
  #answered = new Map();
  #notice = '';
  #pin = '';
  #isLocked = false;
  /** True while the sandbox has not accepted the token that a person entered. */
  #isTokenNew = false;
  #isOver = false;
  #isLive = false;
  #isAnswering = false;
  #following = new AbortController();
  #nextLook: ReturnType<typeof setTimeout> | undefined;
  #refresher = new Refresher((signal) => this.#look(signal));

  constructor() {
    super();
    new FocusKeeper(this, '#out');
  }

  override connectedCallback() {
    super.connectedCallback();
    document.addEventListener(
      'visibilitychange',
      () => document.hidden || this.#refresher.request(),
    );
    everySecond(() => this.requestUpdate());
    this.#start();
  }

  override render() {
    const now = sandboxNow();
    const time = Number.isNaN(now) ? '' : timeOfDay(new Date(now).toISOString()).slice(0, 5);
    const { number = this.#numberInPath, networkName, country } = this.#phone ?? {};
    const network = networkName ? `${networkName} ${country?.toUpperCase()}` : 'Test phone';
    const prompt = this.#newestPrompt;
    return html`<header>
        <p class="bar"><time>${time}</time><span>${network}</span></p>
        <h1>${number}</h1>
      </header>
      <p id="notice" role="status">${this.#notice}</p>
      ${this.#isLocked ? this.#tokenForm() : nothing}
      <ul id="out" aria-label="Messages" tabindex="-1">
        ${repeat(this.#out, keyOf, (message) => this.#message(message, message === prompt, now))}
      </ul>
      <section id="past" aria-labelledby="past-title" ?hidden=${!this.#past.length}>
        <h2 id="past-title">Earlier</h2>
        <ol>
          ${repeat(
            this.#past,
            ({ key }) => key,
            ({ text, message }) => html`<li>${text} ${referenceOf(message)}</li>`,
          )}
        </ol>
      </section>
      <footer><a href="/dashboard">Dashboard</a></footer>`;
  }

  /** The prompt that takes the PIN. */
  get #newestPrompt() {
    return this.#out.find(({ kind }) => kind === 'prompt');
  }

  #tokenForm() {
    const onSubmit = (event: SubmitEvent) => {
      event.preventDefault();
      const form = event.target as HTMLFormElement;
      setToken(`${new FormData(form).get('token')}`.trim());
      this.#isLocked = false;
      this.#isTokenNew = true;
      this.#start();
    };
    return html`<form @submit=${onSubmit}>
      <label for="token">Sandbox token</label>
      <input id="token" name="token" autocomplete="off" spellcheck="false" required />
      <button type="submit">Continue</button>
    </form>`;
  }

  #message(message: Message, takesPin: boolean, now: number) {
    const amount = money(message.total, message.currency);
    const left =
      message.expiresAt === null ? '' : `${timeLeft(Date.parse(message.expiresAt) - now)} left`;
    if (message.kind === 'one-time-code') {
      return html`<li class="message">
        <h2><bdi>${message.merchantName}</bdi></h2>
        <p>Your one-time code for ${amount}</p>
        <p class="amount code">${message.code}</p>
        <p class="small">${referenceOf(message)}</p>
        <p class="left">${left}</p>
      </li>`;
    }
    return html`<li class="message">
      <h2>Pay <bdi>${message.merchantName}</bdi>?</h2>
      <p class="amount">${amount}</p>
      <p class="small">${referenceOf(message)}</p>
      <p class="left">${left}</p>
      ${takesPin ? pinDots(this.#pin) : nothing}
      <div class="answers">
        <button
          type="button"
          class="quiet-button"
          aria-busy=${this.#isAnswering}
          @click=${() => void this.#answer(message, 'decline')}
          >Decline</button
        >
        <button
          type="button"
          aria-busy=${this.#isAnswering}
          @click=${() => void this.#answer(message, 'approve')}
          >Approve</button
        >
      </div>
      ${takesPin ? pinPad(this.#phone?.networkName ?? '', this.#onKey) : nothing}
    </li>`;
  }

  #onKey = (key: string) => {
    this.#pin = typeKey(this.#pin, key);
    this.requestUpdate();
  };

  #start() {
    this.#following.abort();
    this.#following = new AbortController();
    this.#refresher.request();
    void followEvents({
      onEvent: ({ event, data }) => {
        if (event !== 'happening' || CHANGES_PHONE.includes(JSON.parse(data).kind))
          this.#refresher.request();
      },
      onState: (state) => {
        this.#isLive = state === 'live';
        this.#refresher.request();
      },
      signal: this.#following.signal,
    });
  }

  async #look(signal: AbortSignal) {
    clearTimeout(this.#nextLook);
    if (this.#isLocked || this.#isOver) return;
    try {
      const { data } = await send<Handset>({ method: 'GET', path: this.#path() }, signal);
      this.#show(data);
    } catch (error) {
      this.#showFailure(error);
    }
    this.#nextLook = setTimeout(
      () => this.#refresher.request(),
      this.#isLive ? POLL_WHEN_LIVE_MS : POLL_MS,
    );
  }

  #show(phone: Handset) {
    setClock(phone);
    this.#isTokenNew = false;
    this.#phone = phone;
    const before = this.#out;
    const prompt = this.#newestPrompt;
    this.#out = phone.out.toReversed();
    const next = this.#newestPrompt;
    if (!prompt || !next || keyOf(prompt) !== keyOf(next)) this.#pin = '';
    const keys = new Set(this.#out.map(keyOf));
    for (const message of before) if (!keys.has(keyOf(message))) this.#keepAsPast(message);
    document.title = this.#out.length
      ? `(${this.#out.length}) ${phone.number}`
      : `${phone.number} · Test phone`;
    this.#say(this.#summary());
  }

  #summary() {
    const [newest] = this.#out;
    if (!newest) return this.#past[0] ? `${this.#past[0].text} No other messages.` : NOTHING_YET;
    if (this.#out.length > 1) return `${this.#out.length} messages are waiting.`;
    return newest.kind === 'prompt'
      ? 'A payment is waiting for your approval.'
      : 'You received a one-time code.';
  }

  #keepAsPast(message: Message) {
    const key = keyOf(message);
    const amount = money(message.total, message.currency);
    const isLate = message.expiresAt !== null && Date.parse(message.expiresAt) <= sandboxNow();
    const ending = isLate ? 'Timed out' : 'Over';
    const text =
      message.kind === 'prompt'
        ? `${this.#answered.get(key) ?? ending}: ${amount}.`
        : `The code for ${amount} was used or has expired.`;
    this.#answered.delete(key);
    this.#past = [{ key, text, message }, ...this.#past].slice(0, MOST_PAST);
  }

  async #answer(message: Message, answer: 'approve' | 'decline') {
    if (this.#isAnswering) return;
    this.#isAnswering = true;
    this.requestUpdate();
    try {
      await send({
        method: 'POST',
        path: `${this.#path()}/${answer}`,
        body: { reference: message.reference, merchant: message.merchant },
      });
      this.#answered.set(keyOf(message), answer === 'approve' ? 'Approved' : 'Declined');
      this.#refresher.request();
    } catch (error) {
      this.#showFailure(error);
    } finally {
      this.#isAnswering = false;
      this.requestUpdate();
    }
  }

  #showFailure(error: unknown) {
    if (!(error instanceof CallError)) throw error;
    if (error.isLocked) {
      this.#isLocked = true;
      return this.#say(
        this.#isTokenNew
          ? 'This token is wrong. Enter the one that the sandbox printed.'
          : 'Other machines can reach this sandbox. Enter the token it printed.',
      );
    }
    this.#isOver = error.errorCode === '12';
    const isGone = error.httpStatus === 0;
    this.#say(isGone ? 'The sandbox does not respond. Trying again.' : error.message);
  }

  #say(notice: string) {
    this.#notice = notice;
    this.requestUpdate();
  }

  #path() {
    return `/phones/${encodeURIComponent(this.#numberInPath)}`;
  }
}

function referenceOf({ merchant, reference }: Message) {
  const href = `/dashboard#/${encodeURIComponent(merchant)}/${encodeURIComponent(reference)}`;
  return html`Reference <a href=${href}><bdi>${reference}</bdi></a>`;
}

function keyOf({ kind, merchant, reference }: Message) {
  return JSON.stringify([kind, merchant, reference]);
}

function readNumber() {
  const last = location.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

customElements.define('test-phone', TestPhone);
