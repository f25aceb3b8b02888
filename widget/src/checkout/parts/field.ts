import { html, nothing, type TemplateResult } from 'lit';
import type { Messages } from '../language/messages/messages.ts';
import { warningIcon } from './icons.ts';
import type { Listed } from './problem-list.ts';

/**
 * What is wrong with a field: a code the catalogue words, and the service's own sentence for codes
 * it does not know.
 */
export interface FieldProblem {
  code: string;
  message?: string;
}

/** Problems by the name of their field. */
export type FieldProblems = Record<string, FieldProblem>;

/** An event of an input, and the input. */
export type FieldEvent = InputEvent & { target: HTMLInputElement };

export interface FieldOptions {
  /** The id of the input. */
  name: string;
  /** What browsers and password managers know the input by; its id unless given. */
  knownAs?: string;
  label: string;
  value: string;
  autocomplete: string;
  problem: string | undefined;
  onInput: (event: FieldEvent) => void;
  onChange?: (() => void) | undefined;
  /** Called when the input gets the focus, and when it is pressed. */
  onEnter?: (event: Event & { target: HTMLInputElement }) => void;
  hint?: string | TemplateResult | undefined;
  inputMode?: 'numeric' | 'tel' | 'text';
  capitalize?: 'words' | 'characters';
  maxLength?: number;
  /** Whether Enter on a keyboard on the screen sends the form. */
  isLast?: boolean;
  placeholder?: string;
  isReadOnly?: boolean;
  /** What stands in the field before what is typed. */
  prefix?: TemplateResult | typeof nothing;
  /** What stands at the end of the field, beside what is typed. */
  mark?: TemplateResult | typeof nothing;
}

/** Renders one labelled input, with what is wrong with it or a hint beneath. */
export function renderField(options: FieldOptions): TemplateResult {
  const { name, label, problem, prefix = nothing, mark = nothing } = options;
  return html`
    <div class="field">
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
          @input=${options.onInput}
          @change=${options.onChange ?? nothing}
          @focus=${options.onEnter ?? nothing}
          @click=${options.onEnter ?? nothing}
        />${mark}
      </div>
      ${renderNote(`${name}-note`, problem, options.hint)}
    </div>
  `;
}

/** Renders the line beneath a field: what is wrong, otherwise a hint. Without either it is empty. */
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
  return html`<div class=${text === nothing ? 'note' : 'note open'}><p id=${id}>${text}</p></div>`;
}

/**
 * The names of the fields that have a problem, in their order on screen, where there are two or
 * more of them.
 */
export function listProblems(names: readonly string[], found: FieldProblems): readonly string[] {
  const wrong = names.filter((name) => found[name]);
  return wrong.length > 1 ? wrong : [];
}

/**
 * Renders the problems of a form in one place. The element that shows them comes with the screens
 * after the first form.
 */
export function renderList(
  words: Messages,
  names: readonly string[],
  labelOf: (name: string) => string,
  found: FieldProblems,
): TemplateResult {
  const listed = names.map(
    (name): Listed => ({ name, label: labelOf(name), problem: wordsFor(words, found[name]) }),
  );
  return html`<problem-list .heading=${words.checkFields} .listed=${listed}></problem-list>`;
}

/** A problem in words: by its code, otherwise in the service's own sentence. */
export function wordsFor(words: Messages, problem: FieldProblem | undefined): string | undefined {
  if (!problem) return undefined;
  const known: Record<string, string> = words.problems;
  return Object.hasOwn(known, problem.code)
    ? known[problem.code]
    : (problem.message ?? words.unknownProblem);
}

/** Asks whoever shows the form to have a text said aloud. */
export class SayEvent extends Event {
  readonly text: string;

  constructor(text: string) {
    super('say', { bubbles: true, composed: true });
    this.text = text;
  }
}

/**
 * Puts the focus on the first field or group that has a problem, and has said what that move does
 * not say by itself: the `summary` of several problems, and a problem of the field in which the
 * focus was already. Returns false where nothing is wrong.
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
  input.focus();
  input.scrollIntoView({ block: 'nearest' });
  if (text) input.dispatchEvent(new SayEvent(text));
  return true;
}
