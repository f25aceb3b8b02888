const registered = new WeakSet<CustomElementConstructor>();

/** Registers an element once, under another name if another copy of the widget has taken this one. */
export function register(tag: string, type: CustomElementConstructor): void {
  if (registered.has(type)) return;
  registered.add(type);
  const isTaken = customElements.get(tag);
  customElements.define(isTaken ? `${tag}-${performance.now()}` : tag, type);
}
