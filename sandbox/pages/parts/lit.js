// The parts of Lit that the pages use. The sandbox rewrites the package names to addresses.

export { html, LitElement, nothing, render } from 'lit';
export { repeat } from 'lit/directives/repeat.js';
