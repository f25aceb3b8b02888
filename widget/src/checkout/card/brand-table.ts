/**
 * The table of card brands, as a module of its own that is fetched when a form stands: `loadBrands`
 * alone imports it.
 */
export { default as findTypes } from 'credit-card-type';
