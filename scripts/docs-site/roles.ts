/** A page of the site by its address, with the words of the sidebar; its own title otherwise. */
export type Entry = string | readonly [address: string, words: string];

/** One of the four ways into the site. */
export interface Role {
  readonly name: string;
  readonly address: string;
  readonly lead: string;
  readonly entries: readonly Entry[];
}

/** Who reads the site, and which pages are for them. A page may stand under several. */
export const ROLES: readonly Role[] = [
  {
    name: 'Front end',
    address: 'front-end',
    lead: 'Put the payment popup into a page, and handle its three outcomes.',
    entries: [
      ['quick-start/html', 'Quick start: an HTML page'],
      ['quick-start/react-vue-svelte', 'Quick start: React, Vue, Svelte'],
      ['quick-start/full-stack', 'Quick start: Next.js, Nuxt, SvelteKit'],
      ['playground', 'Playground'],
      ['popup-element-redirect', 'Popup, element or redirect?'],
      ['embedding', 'Embedding'],
      ['options-and-outcomes', 'Options and outcomes'],
      ['element', 'The element'],
      ['styling', 'Styling and languages'],
      ['security', 'Content security policy'],
      ['browsers', 'Browsers'],
      ['reference/widget', 'Reference: @service-pay/widget'],
      ['migrate/', 'Migrating'],
      ['migrate/script-tag', 'From a bare script tag'],
      ['migrate/paystack', 'From Paystack'],
      ['migrate/flutterwave', 'From Flutterwave'],
    ],
  },
  {
    name: 'Back end',
    address: 'back-end',
    lead: 'Make orders, verify payments, receive webhooks, ship once.',
    entries: [
      ['quick-start/server', 'Quick start: Node, Python, PHP, Go'],
      ['server', 'What a server must do'],
      ['frameworks', 'Next.js, Hono, plain http'],
      ['fulfilment', 'Fulfilment'],
      ['recipes/pg-boss', 'Recipe: pg-boss'],
      ['api', 'The API from any language'],
      ['openapi', 'OpenAPI and Postman'],
      ['errors', 'Error codes'],
      ['what-happens-when', 'What happens when …'],
      ['packages/server', 'The server package'],
      ['packages/template', 'The template'],
      ['upgrading', 'Upgrading'],
      ['reference/server', 'Reference: @service-pay/server'],
      ['reference/contract', 'Reference: @service-pay/contract'],
    ],
  },
  {
    name: 'Test',
    address: 'test',
    lead: 'Test the whole purchase offline: declines, late webhooks, a phone, a clock.',
    entries: [
      ['quick-start/ci', 'Quick start: tests in CI'],
      ['quick-start/phone', 'Quick start: a real phone'],
      ['sandbox', 'The sandbox'],
      ['testing', 'Testing a shop'],
      ['scenarios', 'Scenarios'],
      ['sandbox-limits', 'Limits of the sandbox'],
      ['packages/sandbox', 'Test numbers and control calls'],
      ['reference/sandbox', 'Reference: @service-pay/sandbox'],
    ],
  },
  {
    name: 'Operate',
    address: 'operate',
    lead: 'Go live, watch, upgrade, and answer an auditor.',
    entries: [
      ['go-live', 'Go live'],
      ['running', 'Run the back end'],
      ['supply-chain', 'Supply chain'],
      ['security-policy', 'Report a weakness'],
      ['service', 'What a service must serve'],
      ['changelog', 'Changelog'],
    ],
  },
];
