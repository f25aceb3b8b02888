import { html, nothing, type TemplateResult } from 'lit';
import type { FieldProblems, FormProblem } from '../flow/call-failure.ts';
import type { FirstWords } from '../language/messages/messages.ts';
import { warningIcon } from './icons.ts';

export interface FieldEvent {
  target: HTMLInputElement;
  inputType: string;
}
type FieldEnter = Event & { target: HTMLInputElement };

export interface FieldOptions {
  name: string;
  /** The input's name, for browsers and password managers; its id by default. */
  knownAs?: string;
  label: string;
  value: string;
  autocomplete: string;
  problem: string | undefined;
  /** Called for every change, but only at the end of what an input method composes. */
  onInput: (event: FieldEvent) => void;
  /** Keeps what is being composed. Must not write to the field, which would double it (T157). */
  onCompose: (event: FieldEvent) => void;
  onChange?: (() => void) | undefined;
  onEnter?: (event: FieldEnter) => void;
  hint?: string | TemplateResult | undefined;
  inputMode?: 'numeric' | 'tel' | 'text';
  capitalize?: 'words' | 'characters';
  maxLength?: number;
  /** Enter on an on-screen keyboard submits the form. */
  isLast?: boolean;
  placeholder?: string;
  isReadOnly?: boolean;
  /** A button that settles a problem of this field. */
  offer?: TemplateResult | typeof nothing;
  prefix?: TemplateResult | typeof nothing;
  mark?: TemplateResult | typeof nothing;
}

export function renderField(options: FieldOptions): TemplateResult {
  const { name, label, problem, offer = nothing, prefix = nothing, mark = nothing } = options;
  return html`
    <div class="field" @focusin=${showFocused}>
      <label for=${name}>${label}</label>
      <div class="box">
        ${prefix}<input
          id=${name}
          name=${options.knownAs ?? name}
          .value=${options.value}
          autocomplete=${options.autocomplete}
          inputmode=${options.inputMode ?? 'text'}
          dir=${options.inputMode ? 'ltr' : nothing}
          autocapitalize=${options.capitalize ?? 'off'}
          maxlength=${options.maxLength ?? 200}
          placeholder=${options.placeholder ?? nothing}
          spellcheck="false"
          autocorrect="off"
          enterkeyhint=${options.isLast ? 'go' : 'next'}
          ?readonly=${options.isReadOnly}
          aria-invalid=${problem ? 'true' : nothing}
          aria-describedby="${name}-note"
          @input=${(event: InputEvent & FieldEvent) =>
            (event.isComposing ? options.onCompose : options.onInput)(event)}
          @compositionend=${({ target }: FieldEvent) =>
            options.onInput({ target, inputType: 'insertText' })}
          @change=${options.onChange ?? nothing}
          @focus=${options.onEnter ?? nothing}
          @click=${options.onEnter ?? nothing}
        />${mark}
      </div>
      ${renderNote(`${name}-note`, problem, options.hint)}${offer}
    </div>
  `;
}

export function renderNote(
  id: string,
  problem: string | undefined,
  hint?: string | TemplateResult,
): TemplateResult {
  const text = problem
    ? html`<span class="wrong">${warningIcon}${problem}</span>`
    : hint
      ? html`<span>${hint}</span>`
      : nothing;
  return html`<p class="note" id=${id}>${text}</p>`;
}

/** Returns the fields with a problem, in their order on screen, if there are at least two. */
export function listProblems(names: readonly string[], found: FieldProblems): readonly string[] {
  const wrong = names.filter((name) => found[name]);
  return wrong.length > 1 ? wrong : [];
}

export function wordsFor(words: FirstWords, problem: FormProblem | undefined): string | undefined {
  if (!problem) return undefined;
  const known: Record<string, string> = words.problems;
  return Object.hasOwn(known, problem.code)
    ? known[problem.code]
    : (problem.message ?? words.unknownProblem);
}

export class SayEvent extends Event {
  readonly text: string;

  constructor(text: string) {
    super('say', { bubbles: true, composed: true });
    this.text = text;
  }
}

/**
 * Returns a listener for focus and click that selects a field's text if it `isOld` when the focus
 * arrives, so that typing replaces it. A second click places the caret.
 */
export function selectIf(isOld: () => boolean): (event: FieldEnter) => void {
  let isSelected = false;
  return ({ target, type }) => {
    if (type === 'focus') isSelected = isOld();
    if (isSelected) target.select();
    if (type === 'click') isSelected = false;
  };
}

const showFocused = ({ target }: FocusEvent): void => showField(target as Element);

/** Scrolls a field into view: with its message and its offer, if there is room for them. */
export function showField(input: Element): void {
  input.closest('.field')?.scrollIntoView({ block: 'nearest' });
  input.scrollIntoView({ block: 'nearest' });
}

/**
 * Focuses the first field or group with a problem, and announces what that move does not: the
 * `summary` of several problems, and the problem of a field that already has the focus. Returns
 * false if there is none.
 */
export function focusFirstProblem(root: HTMLElement | DocumentFragment, summary = ''): boolean {
  const wrong = root.querySelector('[aria-invalid="true"]');
  const input = wrong?.matches('input, select')
    ? (wrong as HTMLInputElement)
    : wrong?.querySelector('input');
  if (!wrong || !input) return false;
  const note = input.matches(':focus')
    ? root.querySelector(`#${wrong.getAttribute('aria-describedby')}`)
    : null;
  const text = `${summary} ${note?.textContent ?? ''}`.trim();
  input.focus({ preventScroll: true });
  showField(input);
  if (text) input.dispatchEvent(new SayEvent(text));
  return true;
}
