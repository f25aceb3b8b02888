/** Registers an element under its name. */
export function customElement(name: string): (element: CustomElementConstructor) => void {
  return (element) => customElements.define(name, element);
}
