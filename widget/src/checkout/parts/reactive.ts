import type { LitElement } from 'lit';

/** A Lit property that is set by code only, without an attribute. */
export function reactive(prototype: LitElement, name: string): void {
  (prototype.constructor as typeof LitElement).createProperty(name, { attribute: false });
}
