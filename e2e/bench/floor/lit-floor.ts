import { css, html, LitElement } from 'lit';
import { customElement, state } from 'lit/decorators.js';

/**
 * The smallest possible popup with Lit: one element that opens a modal dialog with the service's
 * page in a frame.
 */
@customElement('lit-floor')
class LitFloor extends LitElement {
  static override styles = css`
    dialog { inline-size: 420px; block-size: 600px; padding: 0; border: 0; border-radius: 12px; }
    iframe { inline-size: 100%; block-size: 100%; border: 0; }
  `;

  @state() private frameUrl = '';

  async open(frameUrl: string): Promise<void> {
    this.frameUrl = frameUrl;
    await this.updateComplete;
    this.renderRoot.querySelector('dialog')?.showModal();
  }

  override render() {
    return html`<dialog aria-label="Payment"><button>Close</button>${this.frameUrl ? html`<iframe title="Payment" src=${this.frameUrl}></iframe>` : ''}</dialog>`;
  }
}

declare global {
  var openFloor: (frameUrl: string) => Promise<void>;
}

globalThis.openFloor = async (frameUrl) => {
  const floor = new LitFloor();
  document.body.append(floor);
  await floor.open(frameUrl);
};
