/** A module of its own, loaded only when a form is shown. */
export { default as findTypes } from 'credit-card-type';
