import type { LitElement } from 'lit';

/**
 * A property that draws its element anew when it is set. Code sets it and never an attribute, so
 * there is nothing to say about it.
 */
export function reactive(prototype: LitElement, name: string): void {
  (prototype.constructor as typeof LitElement).createProperty(name, { attribute: false });
}
