// Buttons and forms that call the sandbox, each beside the command of the same call.

import { curlFor } from './curl.js';
import { find, setText } from './elements.js';
import { html, nothing, render } from './lit.js';
import { ask, CallError, hasToken } from './sandbox-client.js';

/** @import { Call } from './curl.js' */

/** @type {{ onLocked: () => void, onDone: () => void }} */
let listeners = { onLocked: () => undefined, onDone: () => undefined };

/**
 * Calls `onLocked` when a call needs the token, and `onDone` after each call that changed
 * something.
 * @param {typeof listeners} wanted
 */
export function listenToActions(wanted) {
  listeners = wanted;
}

/**
 * Shows one sentence and announces it, even if it is the same as before.
 * @param {string} text
 */
export function say(text) {
  const notice = find('notice');
  if (notice.textContent === text) notice.textContent = '';
  notice.textContent = text;
}

/**
 * A button that makes a call, and one that copies the same call as a command.
 * @param {{ label: string, call: () => Call, said: string | ((data: any) => string), after?: (data: any) => void, kind?: 'quiet' | 'main' }} what
 */
export function action({ label, call, said, after, kind = 'quiet' }) {
  /** @param {Event} event */
  const onClick = async ({ currentTarget }) => {
    const button = /** @type {HTMLButtonElement} */ (currentTarget);
    if (button.ariaBusy === 'true') return;
    button.ariaBusy = 'true';
    try {
      const { data } = await ask(call());
      say(typeof said === 'string' ? said : said(data));
      after?.(data);
      listeners.onDone();
    } catch (error) {
      say(describeFailure(error));
    } finally {
      button.ariaBusy = 'false';
    }
  };
  return html`<span class="action"
    ><button type="button" class=${kind} @click=${onClick}>${label}</button>${curlButton(label, call)}</span
  >`;
}

/** @param {string} label @param {() => Call} call @param {string} [text] */
export function curlButton(label, call, text = 'curl') {
  return html`<button
    type="button"
    class="curl"
    aria-label=${`Copy ${text}: ${label}`}
    @click=${() => void copy(commandOf(call()), 'Copied the command.')}
    >${text}</button
  >`;
}

/** @param {string} label @param {string} text */
export function copyButton(label, text) {
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
 * @param {string} id
 * @param {{ call: (form: HTMLFormElement) => Call, said: string | ((data: any) => string), after?: (data: any) => void }} what
 * @returns {{ form: HTMLFormElement, refresh: () => void }} `refresh` writes the command again after a script has filled the form.
 */
export function wireForm(id, { call, said, after }) {
  const dialog = /** @type {HTMLDialogElement} */ (find(id));
  const form = /** @type {HTMLFormElement} */ (dialog.querySelector('form'));
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
    (selector) => /** @type {HTMLElement} */ (form.querySelector(selector)),
  );
  if (!command || !failure || !submit) throw new Error('The form was not drawn.');
  // The copied command has the whole picture.
  const refresh = () =>
    setText(command, commandOf(call(form)).replace(/(data:image[^"]{40})[^"]+/, '$1…'));
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
      failure.textContent = describeFailure(error);
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
 * Returns an error as a sentence. Asks for the token if the sandbox needs it.
 * @param {unknown} error
 */
export function describeFailure(error) {
  if (!(error instanceof CallError)) throw error;
  if (error.isLocked) listeners.onLocked();
  return error.message;
}

/** @param {Call} call */
function commandOf(call) {
  return curlFor(call, { origin: location.origin, needsToken: hasToken() });
}

/**
 * Copies a text; shows it for copying by hand if the page may not use the clipboard.
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
