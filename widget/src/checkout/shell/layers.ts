import { html, type LitElement, nothing, type ReactiveController, type TemplateResult } from 'lit';

import type { Clock } from '../flow/clock.ts';

/** How long a step fades out over the next one, as in `appStyles`. */
const FADE_MS = 120;

/** The layer of the question. Steps take turns in the two before it. */
const QUESTION_LAYER = 2;

interface Drawing {
  /** Differs for another step. */
  step: string;
  content: TemplateResult;
  /** Shown over the step. */
  question: TemplateResult | undefined;
  /** False while no customer can see a step fade out. */
  isSeen: boolean;
}

/**
 * Draws two steps and the question in layers. What was shown before fades out over what is shown
 * now.
 */
export class StepLayers implements ReactiveController {
  readonly #host: LitElement & { deps: { clock: Clock } };
  readonly #contents: (TemplateResult | typeof nothing)[] = [nothing, nothing, nothing];
  #step = '';
  #stepLayer = 0;
  #shownLayer = 0;
  #stopFading = () => {};

  constructor(host: LitElement & { deps: { clock: Clock } }) {
    this.#host = host;
    host.addController(this);
  }

  hostDisconnected(): void {
    this.#stopFading();
  }

  render({ step, content, question, isSeen }: Drawing): readonly TemplateResult[] {
    if (step !== this.#step) this.#stepLayer = 1 - this.#stepLayer;
    this.#step = step;
    this.#contents[this.#stepLayer] = content;
    if (question) this.#contents[QUESTION_LAYER] = question;
    this.#turnTo(question ? QUESTION_LAYER : this.#stepLayer, isSeen);
    return this.#contents.map((each, layer) => {
      const isLeft = layer !== this.#shownLayer;
      return html`<div class="step" ?hidden=${isLeft} ?inert=${isLeft}>${each}</div>`;
    });
  }

  #turnTo(layer: number, isSeen: boolean): void {
    if (layer === this.#shownLayer) return;
    this.#shownLayer = layer;
    this.#stopFading();
    if (isSeen && !matchMedia('(prefers-reduced-motion: reduce)').matches)
      this.#stopFading = this.#host.deps.clock.after(FADE_MS, () => {
        this.#clear();
        this.#host.requestUpdate();
      });
    else this.#clear();
  }

  #clear(): void {
    for (const layer of this.#contents.keys())
      if (layer !== this.#stepLayer && layer !== this.#shownLayer) this.#contents[layer] = nothing;
  }
}
