import { ReactiveElement } from '@lit/reactive-element';

export interface ReactiveBase extends HTMLElement {
  readonly updateComplete: Promise<boolean>;
  connectedCallback(): void;
  disconnectedCallback(): void;
  attributeChangedCallback(name: string, before: string | null, text: string | null): void;
  createRenderRoot(): HTMLElement | DocumentFragment;
  performUpdate(): void;
  updated(changed: ReadonlyMap<PropertyKey, unknown>): void;
}

/**
 * Lit's `ReactiveElement` under our own type, so that the published types do not depend on Lit's.
 */
export const ReactiveBase = ReactiveElement as unknown as {
  new (): ReactiveBase;
  readonly observedAttributes: string[];
};
