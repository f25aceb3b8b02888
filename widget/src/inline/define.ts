import { Layer } from './dom/layer.ts';
import { PaymentPopup } from './popup/payment-popup.ts';
import { ServicePayElement } from './service-pay.ts';

/** Registers `<service-pay>`, unless another copy of the widget has. Does nothing on a server. */
const registry = globalThis.customElements as CustomElementRegistry | undefined;
if (registry && !registry.get('service-pay')) registry.define('service-pay', ServicePayElement);
if (registry) {
  // Now, so that what a saved page brings back removes itself (T125).
  PaymentPopup.register();
  Layer.register();
}
