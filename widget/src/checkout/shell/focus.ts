import type { LitElement } from 'lit';

import type { Clock } from '../flow/clock.ts';
import type { Screen } from '../flow/payment-state.ts';
import type { Reporter } from '../page/reporter.ts';
import { showField } from '../parts/field.ts';
import { whileConnected } from '../parts/while-connected.ts';

type Host = LitElement & { deps: { clock: Clock } };

type ShownScreen = LitElement & { focusStart(atHeading?: boolean): void };

/**
 * Moves the focus to the start of each new step and keeps the focused field visible. Reports to the
 * page once the first step is drawn.
 */
export class StepFocus {
  readonly #host: Host;
  readonly #reporter: Reporter;
  #view: readonly unknown[] = [];
  #hasBegun = false;
  /** The focused element before the question, and the one to return to if the customer stays. */
  #beforeQuestion: Element | null | undefined;
  #back: Element | null | undefined;

  constructor(host: Host, reporter: Reporter) {
    this.#host = host;
    this.#reporter = reporter;
    whileConnected(host, (signal) => {
      window.addEventListener('focus', this.#enter, { signal });
      window.addEventListener('resize', this.#keepInSight, { signal });
      const height = new ResizeObserver(this.#keepInSight);
      height.observe(host);
      signal.onabort = () => height.disconnect();
    });
  }

  /** The screen and its remarks: another array whenever one of them changes. */
  get view(): readonly unknown[] {
    return this.#view;
  }

  /** The screen that can be used now. */
  get shown(): ShownScreen | null {
    return this.#host.renderRoot.querySelector('.step:not([inert]) > :last-child');
  }

  /**
   * Focuses what is new after an update. Another `step`, which starts with its screen, moves the
   * focus; `remarks` come and go there without moving it.
   */
  follow(step: readonly [Screen, ...unknown[]], remarks: readonly unknown[]): void {
    const view = [...step, ...remarks];
    const isNew = (part: unknown, index: number) => part !== this.#view[index];
    if (!view.some(isNew)) return;
    const isElsewhere = step.some(isNew);
    this.#view = view;
    if (step[0] !== 'loading') void this.#arrive(isElsewhere);
  }

  /** Remembers the focused element before the question is shown. */
  leave(): void {
    this.#beforeQuestion = this.#active;
  }

  /** Returns the focus to the remembered element once the question is gone. */
  stay(): void {
    this.#back = this.#beforeQuestion;
  }

  /** Returns the focus to where it was, or to the start (D11). */
  refocus(): void {
    const active = this.#active;
    if (active instanceof HTMLElement) active.focus();
    else this.shown?.focusStart();
  }

  get #active(): Element | null | undefined {
    let active = this.#host.shadowRoot?.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    return active;
  }

  /** Lets the page take its skeleton away and focuses what is new, once a new view is drawn. */
  async #arrive(isElsewhere: boolean): Promise<void> {
    await this.shown?.updateComplete;
    if (!this.#host.isConnected) return;
    if (this.#reporter.isShown || document.hasFocus()) this.#begin(isElsewhere);
    this.#reporter.show();
  }

  /**
   * Focuses the start of a step. If only an alert comes or goes, the focus stays: an alert is
   * announced by itself, so the focus is never moved to it. On touch screens the keyboard opens only
   * on request.
   */
  #begin(isElsewhere = true): void {
    const alert = this.#host.renderRoot.querySelector('.step:not([inert]) [role=alert]');
    const { activeElement } = this.#host.shadowRoot!;
    const isFirstForm = this.#view[0] === 'form' && !this.#hasBegun;
    const isKept =
      alert || !isElsewhere
        ? activeElement && !activeElement.closest('[inert]')
        : isFirstForm && matchMedia('(pointer: coarse)').matches;
    if (this.#hasBegun && isElsewhere) this.shown?.scrollIntoView();
    if (this.#back?.isConnected) (this.#back as HTMLElement).focus();
    else if (!isKept) this.shown?.focusStart(alert !== null);
    this.#back = undefined;
    alert?.scrollIntoView({ block: 'nearest' });
    this.#hasBegun = true;
  }

  /** Focuses the start when the frame gets the focus, unless Tab has already focused something. */
  readonly #enter = (): void => {
    this.#host.deps.clock.after(0, () => {
      const { isConnected, shadowRoot } = this.#host;
      if (
        this.#reporter.isShown &&
        isConnected &&
        document.hasFocus() &&
        !shadowRoot?.activeElement
      )
        this.#begin();
    });
  };

  /** Keeps the focused field visible, above an on-screen keyboard and as its message opens. */
  readonly #keepInSight = (): void => {
    const active = this.#active;
    if (active?.matches('input, select')) showField(active);
  };
}
