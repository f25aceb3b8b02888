export type Entry = readonly [address: string, words: string, lead: string];

export interface Role {
  readonly name: string;
  readonly address: string;
  readonly lead: string;
  readonly entries: readonly Entry[];
}

/** The readers of the site and the pages for each. A page may be listed for several. */
export const ROLES: readonly Role[] = [
  {
    name: 'Front end',
    address: 'front-end',
    lead: 'Put the payment popup into a page, and handle its three outcomes.',
    entries: [
      [
        'quick-start/html',
        'Quick start: an HTML page',
        'One page that takes a payment, in two minutes.',
      ],
      [
        'quick-start/react-vue-svelte',
        'Quick start: React, Vue, Svelte',
        'The element in a single-page app.',
      ],
      [
        'quick-start/full-stack',
        'Quick start: Next.js, Nuxt, SvelteKit',
        'Page and server in one app.',
      ],
      ['playground', 'Playground', 'Change the options beside the real popup.'],
      [
        'popup-element-redirect',
        'Popup, element or redirect?',
        'Which way of opening the popup fits your shop.',
      ],
      ['embedding', 'Embedding', 'Script tag, npm, loader, preload, redirect.'],
      [
        'options-and-outcomes',
        'Options and outcomes',
        'Everything you can pass, and everything you can get back.',
      ],
      ['element', 'The element', 'Attributes, properties, events, parts of `<service-pay>`.'],
      ['styling', 'Styling and languages', 'Colours, corners, fonts, dark mode, five languages.'],
      [
        'security',
        'Content security policy',
        'What your page must allow, and how to pin the script.',
      ],
      ['browsers', 'Browsers', 'Which browsers are supported.'],
      [
        'reference/widget',
        'Reference: @service-pay/widget',
        'Functions, options and the element, from the source.',
      ],
      ['migrate/', 'Migrating', 'The four things that differ most often.'],
      [
        'migrate/script-tag',
        'From a bare script tag',
        'Three steps from a price in the page to a verified order.',
      ],
      ['migrate/paystack', 'From Paystack', 'Option by option.'],
      ['migrate/flutterwave', 'From Flutterwave', 'Option by option.'],
    ],
  },
  {
    name: 'Back end',
    address: 'back-end',
    lead: 'Create orders, verify payments, receive webhooks, fulfil once.',
    entries: [
      [
        'quick-start/server',
        'Quick start: Node, Python, PHP, Go',
        'A server that creates orders and verifies payments, in four languages.',
      ],
      [
        'server',
        'What a server must do',
        'Verify, receive webhooks, check open payments, fulfil once.',
      ],
      [
        'frameworks',
        'Next.js, Hono, plain http',
        'The server package with `Request` and `Response`.',
      ],
      ['fulfilment', 'Fulfilment', 'Fulfilment in several steps, or over hours.'],
      ['recipes/pg-boss', 'Recipe: pg-boss', 'Paid orders as jobs in your PostgreSQL.'],
      [
        'api',
        'The API from any language',
        'Verify and check signatures in Python, PHP, Go and a shell.',
      ],
      ['openapi', 'OpenAPI and Postman', 'Files for client generators and API tools.'],
      ['errors', 'Error codes', 'Each code: cause, fix, and how to reproduce it.'],
      [
        'what-happens-when',
        'What happens when …',
        'Each failure: what the customer sees, what the server does.',
      ],
      ['packages/server', 'The server package', '`createPayments`, its options and guarantees.'],
      ['packages/template', 'The template', 'A small Express shop to copy.'],
      ['upgrading', 'Upgrading', 'The package, its tables, and files you changed.'],
      [
        'reference/server',
        'Reference: @service-pay/server',
        'Every option and call, from the source.',
      ],
      [
        'reference/contract',
        'Reference: @service-pay/contract',
        'The objects of the merchant API.',
      ],
    ],
  },
  {
    name: 'Test',
    address: 'test',
    lead: 'Test the whole purchase offline: declines, late webhooks, a phone, a clock.',
    entries: [
      [
        'quick-start/ci',
        'Quick start: tests in CI',
        'Playwright, GitHub Actions and a plain shell.',
      ],
      [
        'quick-start/phone',
        'Quick start: a real phone',
        'By cable, or over HTTPS on your network.',
      ],
      ['sandbox', 'The sandbox', 'As a program, in CI, in node:test, Vitest and Jest.'],
      ['testing', 'Testing a shop', 'Page objects, fixtures, servers.'],
      ['scenarios', 'Scenarios', 'Lost, late, doubled and forged webhooks in one call.'],
      ['sandbox-limits', 'Limits of the sandbox', 'What can pass here and fail in production.'],
      [
        'packages/sandbox',
        'Test numbers and control calls',
        'Test cards and phones, and the control API.',
      ],
      [
        'reference/sandbox',
        'Reference: @service-pay/sandbox',
        'Options, control calls and page objects, from the source.',
      ],
    ],
  },
  {
    name: 'Operate',
    address: 'operate',
    lead: 'Go live, monitor, upgrade, and answer an auditor.',
    entries: [
      ['go-live', 'Go live', 'The checklist before real money.'],
      ['running', 'Run the back end', 'One machine or many, monitoring, backups.'],
      ['supply-chain', 'Supply chain', 'Pinning, releases, bills of materials, script inventory.'],
      ['security-policy', 'Report a vulnerability', 'How to report, and what is supported.'],
      ['service', 'What a service must serve', 'For operators of a payment service.'],
      ['changelog', 'Changelog', 'What changed, by version.'],
    ],
  },
];
