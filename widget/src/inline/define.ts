import { ServicePayElement } from './service-pay.ts';

/**
 * Registers `<service-pay>` unless another copy of the widget has. On a server, where there are no
 * elements, does nothing.
 */
const registry = globalThis.customElements as CustomElementRegistry | undefined;
if (registry && !registry.get('service-pay')) registry.define('service-pay', ServicePayElement);
