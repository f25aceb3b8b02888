import { ReactiveElement } from '@lit/reactive-element';

import { append, remove } from './build-node.ts';
import { css } from './css.ts';
import { register } from './register.ts';

/**
 * An element of ours at the end of the body, with its content in the shadow root. A page cache, a
 * history snapshot, a clone or a saved page copies neither content nor styles: what it brings back
 * is `hidden`, and removes itself (T125).
 */
export class Layer extends ReactiveElement {
  static override styles = css`
    :host {
      all: initial !important;
      display: contents !important;
    }
  `;

  readonly #content: Element | undefined;

  private constructor(content?: Element) {
    super();
    this.#content = content;
  }

  static register(): void {
    register('service-pay-layer', Layer as unknown as CustomElementConstructor);
  }

  /** Builds a layer. `slotted` are its children, for a slot in `content`. */
  static build(content: Element, ...slotted: Element[]): Layer {
    Layer.register();
    const layer = new Layer(content);
    layer.hidden = true;
    append(layer, ...slotted);
    return layer;
  }

  override connectedCallback(): void {
    if (this.#content) super.connectedCallback();
    else remove(this);
  }

  protected override createRenderRoot(): HTMLElement | DocumentFragment {
    const root = super.createRenderRoot();
    append(root, this.#content!);
    return root;
  }
}
