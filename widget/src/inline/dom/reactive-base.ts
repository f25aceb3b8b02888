import { ReactiveElement } from '@lit/reactive-element';

/** The members of Lit's `ReactiveElement` that `<service-pay>` uses. */
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
 * Lit's `ReactiveElement` under a type of our own, so that the package's published types need no
 * types of Lit's.
 */
export const ReactiveBase = ReactiveElement as unknown as {
  new (): ReactiveBase;
  readonly observedAttributes: string[];
};
