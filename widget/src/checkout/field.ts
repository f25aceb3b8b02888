import { html, nothing, type TemplateResult } from 'lit';

import { warningIcon } from './icons.ts';
import type { Messages } from './messages/en.ts';

/** What is wrong with a field: a code the catalogue words, and the service's own sentence for codes of tomorrow. */
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
  placeholder?: string;
  isReadOnly?: boolean;
  /** What stands at the end of the field, beside what is typed. */
  mark?: TemplateResult | typeof nothing;
}

/** One labelled input. Room for a line beneath it is kept, so that nothing moves when a problem appears. */
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
          autocapitalize=${options.capitalize ?? 'off'}
          maxlength=${options.maxLength ?? 200}
          placeholder=${options.placeholder ?? nothing}
          spellcheck="false"
          autocorrect="off"
          enterkeyhint="next"
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

/** A problem in words: by its code, else in the service's own sentence. */
export function wordsFor(words: Messages, problem: FieldProblem | undefined): string | undefined {
  if (!problem) return undefined;
  return Object.hasOwn(words.problems, problem.code) ? words.problems[problem.code] : (problem.message ?? words.unknownProblem);
}

/** Puts the focus on the first field or group that has a problem. Gives false where none has. */
export function focusFirstProblem(root: ParentNode): boolean {
  const wrong = root.querySelector('[aria-invalid="true"]');
  const input = wrong?.matches('input') ? (wrong as HTMLInputElement) : wrong?.querySelector('input');
  input?.focus();
  input?.scrollIntoView({ block: 'nearest' });
  return Boolean(input);
}
