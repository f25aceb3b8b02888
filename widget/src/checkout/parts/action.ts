import { html, nothing, type TemplateResult } from 'lit';

/** A button below a screen's words. */
export interface Action {
  name: string;
  act: () => void;
  /** Shown below it, and not announced as it changes. */
  note?: string | undefined;
}

/** Renders a button that stays in its place while it cannot be pressed. */
export function renderAction(
  className: string,
  { name, act }: Action,
  { isBusy = false, isIdle = true },
): TemplateResult {
  return html`<button type="button" class=${className} aria-busy=${isBusy ? 'true' : 'false'} aria-disabled=${isIdle || isBusy ? nothing : 'true'} @click=${isIdle ? act : nothing}>${isBusy ? html`<span class="spinner" aria-hidden="true"></span>` : nothing}${name}</button>`;
}
