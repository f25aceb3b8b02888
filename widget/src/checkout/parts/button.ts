import { html, nothing, type TemplateResult } from 'lit';

/** A button below a screen's words. */
export interface Action {
  name: string;
  act: () => void;
  /** Shown below it, and not announced as it changes. */
  note?: string | undefined;
}

interface Button {
  name: string | TemplateResult;
  /** Undefined for a button that submits its form. */
  act?: (() => void) | undefined;
  className?: string;
  isBusy?: boolean;
  /** False while it cannot be pressed, also because something else is busy. */
  isIdle?: boolean;
}

export const spinner: TemplateResult = html`<span class="spinner" aria-hidden="true"></span>`;

/** Renders a button that stays in its place while it is busy or cannot be pressed. */
export function renderButton(button: Button): TemplateResult {
  const { name, act, className, isBusy = false, isIdle = true } = button;
  return html`<button
    type=${act ? 'button' : 'submit'}
    class=${className ?? nothing}
    aria-busy=${isBusy ? 'true' : 'false'}
    aria-disabled=${isIdle || isBusy ? nothing : 'true'}
    @click=${(isIdle && act) || nothing}
  >${isBusy ? spinner : nothing}${name}</button>`;
}
