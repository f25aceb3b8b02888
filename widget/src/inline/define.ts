import { ServicePayElement } from './service-pay.ts';

/** Registers `<service-pay>` unless another copy of the widget has. */
if (!customElements.get('service-pay')) customElements.define('service-pay', ServicePayElement);
