import { html, nothing, type TemplateResult } from 'lit';
import type { Messages } from '../language/messages/messages.ts';
import { warningIcon } from './icons.ts';
import type { Listed } from './problem-list.ts';

/**
 * What is wrong with a field: a code the catalogue words, and the service's own sentence for codes
 * of tomorrow.
 */
export interface FieldProblem {
  code: string;
  message?: string;
}

/** Problems by the name of their field. */
export type FieldProblems = Record<string, FieldProblem>;

export interface FieldOptions {
  name: string;
  label: string;
  value: string;
  autocomplete: string;
  problem: string | undefined;
  onInput: (event: InputEvent & { target: HTMLInputElement }) => void;
  onChange?: () => void;
  hint?: string | undefined;
  inputMode?: 'numeric' | 'tel' | 'text';
  capitalize?: 'words' | 'characters';
  maxLength?: number;
  /** Whether Enter on a keyboard on the screen sends the form. */
  isLast?: boolean;
  placeholder?: string;
  isReadOnly?: boolean;
  /** What stands at the end of the field, beside what is typed. */
  mark?: TemplateResult | typeof nothing;
}

/**
 * One labelled input. Room for a line beneath it is kept, so that nothing moves when a problem
 * appears.
 */
export function renderField(options: FieldOptions): TemplateResult {
  const { name, label, value, problem, hint, onInput, onChange, mark = nothing } = options;
  const note = `${name}-note`;
  return html`
    <div class="field">
      <label for=${name}>${label}</label>
      <div class="box">
        <input
          id=${name}
          name=${name}
          .value=${value}
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
          aria-describedby=${note}
          @input=${onInput}
          @change=${onChange ?? nothing}
        />
        ${mark}
      </div>
      ${renderNote(note, problem, hint)}
    </div>
  `;
}

/** The line beneath a field: what is wrong, else a hint, else room. */
export function renderNote(id: string, problem: string | undefined, hint?: string): TemplateResult {
  return html`<p id=${id} class=${problem ? 'note wrong' : 'note'}>${problem ? html`${warningIcon}<span>${problem}</span>` : hint}</p>`;
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
 * The problems of a form in one place. The element that shows them comes with the screens after the
 * first form.
 */
export function renderList(
  words: Messages,
  names: readonly string[],
  labelOf: (name: string) => string,
  found: FieldProblems,
): TemplateResult | typeof nothing {
  if (!names.length) return nothing;
  const listed = names.map(
    (name): Listed => ({ name, label: labelOf(name), problem: wordsFor(words, found[name]) }),
  );
  return html`<problem-list .heading=${words.checkFields} .listed=${listed}></problem-list>`;
}

/** A problem in words: by its code, else in the service's own sentence. */
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
 * not say by itself: that there are more, and a problem of the field in which the focus was
 * already. Gives false where none has.
 */
export function focusFirstProblem(root: HTMLElement | DocumentFragment): boolean {
  const wrong = root.querySelector('[aria-invalid="true"]');
  const input = wrong?.matches('input')
    ? (wrong as HTMLInputElement)
    : wrong?.querySelector('input');
  if (!input) return false;
  const note = input.matches(':focus') && root.querySelector(`#${input.name}-note`);
  const list = root.querySelector<HTMLElement & { heading: string }>('problem-list');
  const text = `${list ? list.heading : ''} ${note ? note.textContent : ''}`.trim();
  input.focus();
  input.scrollIntoView({ block: 'nearest' });
  if (text) input.dispatchEvent(new SayEvent(text));
  return true;
}
