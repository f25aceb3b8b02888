/** The parts of the widget that documents, tests and `accessible-names.json` need. Not packed. */

export { collectAccessibleNames } from './accessible-names.ts';
export { en } from './checkout/language/messages/en.ts';
export { enScreens } from './checkout/language/messages/en-screens.ts';
export * as events from './inline/events.ts';
export { messages } from './inline/messages.ts';
export { ServicePayElement } from './inline/service-pay.ts';
