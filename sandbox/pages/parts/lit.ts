// The parts of Lit that the pages use.

export { html, LitElement, nothing, render } from 'lit';
export { repeat } from 'lit/directives/repeat.js';
