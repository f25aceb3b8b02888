// Buttons and forms that call the sandbox, each beside the command of the same call.

import { type Call, curlFor } from './curl.ts';
import { find, setText } from './elements.ts';
import { html, nothing, render } from './lit.ts';
import { say } from './notice.ts';
import { CallError, hasToken, send } from './sandbox-client.ts';

/** A call may wait for a payment, or for the receivers of webhooks. */
const LONG_WAIT_MS = 2_000;

let listeners = { onLocked: (): void => undefined, onDone: (): void => undefined };

/**
 * Calls `onLocked` when a call needs the token, and `onDone` after each call that changed
 * something.
 */
export function listenToActions(wanted: typeof listeners) {
  listeners = wanted;
}

/** What a person reads after a call, and what the page does with its data. */
interface Outcome<Data> {
  said: string | ((data: Data) => string);
  after?: ((data: Data) => void) | undefined;
}

interface Action<Data> extends Outcome<Data> {
  label: string;
  call: () => Call;
  kind?: 'quiet' | 'main';
}

interface FormCall<Data> extends Outcome<Data> {
  call: (form: HTMLFormElement) => Call;
}

interface ButtonCall<Data> extends Outcome<Data> {
  call: () => Call;
  onSuccess?: () => void;
  onFailure: (words: string) => void;
}

interface WiredForm {
  form: HTMLFormElement;
  /** Writes the command again after a script has filled the form. */
  refresh: () => void;
}

/** A button that makes a call, and one that copies the same call as a command. */
export function action<Data>({ label, call, said, after, kind = 'quiet' }: Action<Data>) {
  const onClick = ({ currentTarget }: Event) =>
    makeCall(currentTarget as HTMLElement, { call, said, after, onFailure: say });
  return html`<span class="action"
    ><button type="button" class=${kind} @click=${onClick}>${label}</button>${curlButton(label, call)}</span
  >`;
}

export function curlButton(label: string, call: () => Call, text = 'curl') {
  return html`<button
    type="button"
    class="curl"
    aria-label=${`Copy ${text}: ${label}`}
    @click=${() => void copy(commandOf(call()), 'Copied the command.')}
    >${text}</button
  >`;
}

export function copyButton(label: string, text: string) {
  return html`<button
    type="button"
    class="curl"
    aria-label=${`Copy ${label}`}
    @click=${() => void copy(text, `Copied: ${label}.`)}
    >copy</button
  >`;
}

/**
 * Sends a form of the page to the sandbox. Shows the command of the current input below it, and
 * errors in it.
 */
export function wireForm<Data>(id: string, { call, said, after }: FormCall<Data>): WiredForm {
  const dialog = find<HTMLDialogElement>(id);
  const form = dialog.querySelector<HTMLFormElement>('form')!;
  const label = form.dataset['submit'] ?? 'Send';
  const keepsOpen = form.dataset['keepsOpen'] !== undefined;
  const close = html`<button type="button" @click=${() => dialog.close()}
    >${keepsOpen ? 'Close' : 'Cancel'}</button
  >`;
  const isLast = dialog.lastElementChild === form;
  render(
    html`<p class="command"><code></code></p>
      <p class="failure" role="alert"></p>
      <div class="buttons"
        >${isLast ? close : nothing}<span class="action"
          ><button class=${id === 'reset' ? 'danger' : 'main'}>${label}</button>${curlButton(label, () => call(form))}</span
        ></div
      >`,
    form,
  );
  const [command, failure, submit] = ['.command code', '.failure', '.action > button'].map(
    (selector) => form.querySelector<HTMLElement>(selector)!,
  );
  if (!command || !failure || !submit) throw new Error('The form was not drawn.');
  // The copied command has the whole picture.
  const refresh = () =>
    setText(command, commandOf(call(form)).replace(/(data:image[^"]{40})[^"]+/, '$1…'));
  form.addEventListener('input', refresh);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    failure.textContent = '';
    void makeCall(submit, {
      call: () => call(form),
      onSuccess: () => keepsOpen || dialog.close(),
      said,
      after,
      onFailure: (words) => {
        setText(failure, words);
        failure.scrollIntoView({ block: 'nearest' });
      },
    });
  });
  dialog.addEventListener('close', () => {
    failure.textContent = '';
  });
  return { form, refresh };
}

/** Makes the call of a button, unless the button's last call has not ended. */
async function makeCall<Data>(
  button: HTMLElement,
  { call, onSuccess, said, after, onFailure }: ButtonCall<Data>,
) {
  if (button.ariaBusy === 'true') return;
  button.ariaBusy = 'true';
  const waiting = setTimeout(() => say('Still waiting for the sandbox.'), LONG_WAIT_MS);
  try {
    const { data } = await send<Data>(call());
    onSuccess?.();
    say(typeof said === 'string' ? said : said(data));
    after?.(data);
    listeners.onDone();
  } catch (error) {
    say('');
    onFailure(describeFailure(error));
  } finally {
    clearTimeout(waiting);
    button.ariaBusy = 'false';
  }
}

/** Returns an error as a sentence. Asks for the token if the sandbox needs it. */
export function describeFailure(error: unknown) {
  if (!(error instanceof CallError)) throw error;
  if (error.isLocked) listeners.onLocked();
  return error.message;
}

function commandOf(call: Call) {
  return curlFor(call, { origin: location.origin, needsToken: hasToken() });
}

/** Copies a text; shows it for copying by hand if the page may not use the clipboard. */
async function copy(text: string, said: string) {
  try {
    await navigator.clipboard.writeText(text);
    say(said);
  } catch {
    const field = find<HTMLTextAreaElement>('command-text');
    field.value = text;
    find<HTMLDialogElement>('command').showModal();
    field.select();
  }
}
