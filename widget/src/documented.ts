/** The parts of the widget that documents and `accessible-names.json` are made from. Not packed. */

export { collectAccessibleNames } from './accessible-names.ts';
export * as events from './inline/events.ts';
export { ServicePayElement } from './inline/service-pay.ts';
