// The parts of Lit that the pages use. The sandbox serves this file with the addresses of Lit's
// modules in place of the names of its packages.

export { html, LitElement, nothing, render } from 'lit';
export { repeat } from 'lit/directives/repeat.js';
