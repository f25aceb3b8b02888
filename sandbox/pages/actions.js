// Things a person can make the sandbox do, each beside the command that does exactly the same.

import { curlFor } from './curl.js';
import { find, make, setText } from './elements.js';
import { ask, CallError, hasToken } from './sandbox-client.js';

/** @import { Call } from './curl.js' */

/** @type {{ onLocked: () => void, onDone: () => void }} */
let listeners = { onLocked: () => undefined, onDone: () => undefined };

/**
 * Who is told of a call that wants the token first, and of one that changed something.
 * @param {typeof listeners} told
 */
export function listenToActions(told) {
  listeners = told;
}

/**
 * Says one sentence on screen and aloud; an equal one is said again.
 * @param {string} text
 */
export function say(text) {
  const notice = find('notice');
  if (notice.textContent === text) notice.textContent = '';
  notice.textContent = text;
}

/**
 * A button that makes a call, and one that copies its command.
 * @param {{ label: string, call: () => Call, said: string | ((data: any) => string), after?: (data: any) => void, kind?: 'quiet' | 'main' }} what
 */
export function buildAction({ label, call, said, after, kind = 'quiet' }) {
  const button = make('button', { type: 'button', class: kind }, label);
  button.addEventListener('click', async () => {
    if (button.ariaBusy === 'true') return;
    button.ariaBusy = 'true';
    try {
      const { data } = await ask(call());
      say(typeof said === 'string' ? said : said(data));
      after?.(data);
      listeners.onDone();
    } catch (error) {
      say(tellFailure(error));
    } finally {
      button.ariaBusy = 'false';
    }
  });
  return make('span', { class: 'action' }, button, buildCurlButton(label, call));
}

/**
 * A button that copies the command of a call.
 * @param {string} label
 * @param {() => Call} call
 * @param {string} [text]
 */
export function buildCurlButton(label, call, text = 'curl') {
  const button = make(
    'button',
    { type: 'button', class: 'curl', 'aria-label': `Copy ${text}: ${label}` },
    text,
  );
  button.addEventListener('click', () => void copy(commandOf(call()), 'The command is copied.'));
  return button;
}

/**
 * A button that copies a text.
 * @param {string} label
 * @param {string} text
 */
export function buildCopyButton(label, text) {
  const button = make(
    'button',
    { type: 'button', class: 'curl', 'aria-label': `Copy ${label}` },
    'copy',
  );
  button.addEventListener('click', () => void copy(text, `Copied: ${label}.`));
  return button;
}

/**
 * Makes a form of the page's markup ask the sandbox: its command stands beneath it and follows what
 * is entered, and a refusal is shown in it. `call` gives undefined for what cannot be sent yet.
 * @param {string} id The dialog's.
 * @param {{ call: (form: HTMLFormElement) => Call, said: string | ((data: any) => string), after?: (data: any) => void }} what
 * @returns {{ form: HTMLFormElement, refresh: () => void }} `refresh` writes the command anew after a script has filled the form.
 */
export function wireForm(id, { call, said, after }) {
  const dialog = /** @type {HTMLDialogElement} */ (find(id));
  const form = /** @type {HTMLFormElement} */ (dialog.querySelector('form'));
  const command = make('code', {});
  const failure = make('p', { class: 'failure', role: 'alert' });
  const submit = make(
    'button',
    { class: id === 'reset' ? 'danger' : 'main' },
    form.dataset['submit'] ?? 'Send',
  );
  const keepsOpen = form.dataset['keepsOpen'] !== undefined;
  const isLast = dialog.lastElementChild === form;
  const close = make('button', { type: 'button' }, keepsOpen ? 'Close' : 'Cancel');
  close.addEventListener('click', () => dialog.close());
  form.append(
    make('p', { class: 'command' }, command),
    failure,
    make(
      'div',
      { class: 'buttons' },
      isLast && close,
      make(
        'span',
        { class: 'action' },
        submit,
        buildCurlButton(form.dataset['submit'] ?? '', () => call(form)),
      ),
    ),
  );
  const refresh = () => setText(command, commandOf(call(form)));
  form.addEventListener('input', refresh);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (submit.ariaBusy === 'true') return;
    submit.ariaBusy = 'true';
    failure.textContent = '';
    try {
      const { data } = await ask(call(form));
      if (!keepsOpen) dialog.close();
      say(typeof said === 'string' ? said : said(data));
      after?.(data);
      listeners.onDone();
    } catch (error) {
      failure.textContent = tellFailure(error);
    } finally {
      submit.ariaBusy = 'false';
    }
  });
  dialog.addEventListener('close', () => {
    failure.textContent = '';
  });
  return { form, refresh };
}

/**
 * What is wrong, in words for whoever pressed. A sandbox that wants its token is told of where the
 * token is asked for.
 * @param {unknown} error
 */
export function tellFailure(error) {
  if (!(error instanceof CallError)) throw error;
  if (error.isLocked) listeners.onLocked();
  return error.message;
}

/** @param {Call} call */
function commandOf(call) {
  return curlFor(call, { origin: location.origin, needsToken: hasToken() });
}

/**
 * Puts a text into the clipboard; where no page may, shows it to be copied by hand.
 * @param {string} text
 * @param {string} said
 */
async function copy(text, said) {
  try {
    await navigator.clipboard.writeText(text);
    say(said);
  } catch {
    const field = /** @type {HTMLTextAreaElement} */ (find('command-text'));
    field.value = text;
    /** @type {HTMLDialogElement} */ (find('command')).showModal();
    field.select();
  }
}
