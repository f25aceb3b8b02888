import { buildOpenApi } from '@service-pay/contract/openapi';
import { REQUEST_RULES } from '@service-pay/contract/payment-request';

import { describeElement, toTables } from '../docs/element-docs.ts';
import { writeScenarios } from '../docs/scenario-docs.ts';
import { buildOpenApiFiles, type Part } from '../packages/openapi-files.ts';
import { withoutNumbers } from '../packages/private-numbers.ts';
import { docOf, functionOf, type Member, readMembers } from './declarations.ts';

/** Members that are for the project's own tests. */
const FOR_TESTS = ['failpoint', 'answerWithinMs', 'widgetDist'];

/** Meanings of members without a comment in the source, where their names say enough. */
const MEANINGS: Record<string, string> = {
  amount: 'In whole currency units, as a decimal string such as `92.50`.',
  clock: "The time source, for tests. Default: the machine's clock.",
  code: 'Which error it is. Branch on it.',
  control: 'Every call of the control API.',
  createdAt: 'When it was created, in milliseconds since 1970.',
  currency: 'Three capital letters, such as `ZMW`.',
  data: 'What the shop stored with the order.',
  httpStatus: 'The status to respond with.',
  id: 'Id of the order. Use it as the idempotency key.',
  orderId: 'Id of the order that it pays. It stays the same when a customer tries again.',
  outcome: '`success`, `closed` or `confirmation-pending`.',
  owner: "The browser's id or the account's.",
  problems: 'Every broken rule, for wrong input; empty for other codes.',
  publicKey: 'Your public key (`pub_…`), which the page may have.',
  reason: 'Why it failed, or why a person must look. Null otherwise.',
  reference: 'The reference of the payment.',
  retryAfterSeconds: 'When to ask again, for the header `Retry-After`.',
  state: '`awaiting-payment`, `paid`, `refused` or `needs-review`.',
};

/** Rules of options that the source limits only by a length that nobody reaches. */
const TEXTS: Record<string, string> = {
  label: 'text above the amount; cut at 120 characters',
  locale: 'a language of the popup, such as `fr` or `pt-BR`',
};
const PREFILL = 'text that prefills the form; cut at 120 characters';

export function buildReferencePages(): Record<string, string> {
  return {
    'reference/widget.md': writeWidget(),
    'reference/server.md': writeServer(),
    'reference/sandbox.md': writeSandbox(),
    'reference/contract.md': writeContract(),
  };
}

function writeWidget(): string {
  const options = Object.entries(REQUEST_RULES).map(([name, rule]) => [
    code(name),
    'required' in rule ? 'yes' : '',
    rule.expected.startsWith('a text of') ? (TEXTS[name] ?? PREFILL) : rule.expected,
  ]);
  const rows = [
    ...options,
    [code('amount'), 'yes', 'above 0, in whole currency units, at most two decimals'],
    [code('channels'), '', 'a list of `card` and `mobile-money`; absent or empty: all of yours'],
    [code('onSuccess'), '', 'called with `{ reference }`: let your server verify'],
    [code('onClose'), '', 'called if nothing that could still be paid was sent'],
    [code('onConfirmationPending'), '', 'called if money may have moved'],
  ];
  const functions = ['getPaid', 'preload', 'configure', 'loadServicePay', 'isServicePayError'];
  return page('@service-pay/widget', [
    'The popup: functions, options, and the element `<service-pay>`.',
    '## Functions',
    ...functions.map((name) => writeFunction('widget/src/inline', name)),
    '## Options of `getPaid`',
    toTable(['option', 'required', 'rule'], rows),
    '## Handle',
    toMemberTable(membersOf('widget/src/inline', 'PaymentHandle')),
    '## Outcome',
    toMemberTable(membersOf('widget/src/inline', 'PaymentResult')),
    '## `<service-pay>`',
    toTables(describeElement()),
    '## `ServicePayError`',
    toMemberTable(membersOf('widget/src/inline', 'ServicePayError')),
    '[Every code](../errors.md#in-the-browser-servicepayerror).',
  ]);
}

function writeServer(): string {
  return page('@service-pay/server', [
    'Verification, webhooks, lost payments and fulfilment, for Node.',
    '## `createPayments(options)`',
    toMemberTable(membersOf('server/src', 'PaymentsOptions')),
    '## `Payments`',
    toMemberTable(membersOf('server/src', 'Payments')),
    '## An order',
    toMemberTable(membersOf('server/src', 'NewOrder')),
    '## A payment',
    toMemberTable(membersOf('server/src', 'Payment')),
    '## `fulfil(order, context)`',
    docOf('server/src', 'Fulfil'),
    '### What `fulfil` gets',
    docOf('server/src', 'PaidOrder'),
    toMemberTable(membersOf('server/src', 'PaidOrder')),
    '## Functions without a database',
    writeFunction('server/src', 'verifyWebhook'),
    writeFunction('contract/src', 'signWebhook'),
    writeFunction('server/src', 'getCollection'),
    '## `@service-pay/server/express`',
    ...['webhookRoute', 'paymentRoutes'].map((name) => writeFunction('server/src', name)),
    '## `@service-pay/server/fetch`',
    writeFunction('server/src', 'buildFetchHandler'),
    toMemberTable(membersOf('server/src', 'FetchOptions')),
    '## `PaymentsError`',
    toMemberTable(membersOf('server/src', 'PaymentsError')),
    '[Every code](../packages/server.md#errors).',
  ]);
}

function writeSandbox(): string {
  const control: Part = JSON.parse(buildOpenApiFiles()['control.json'] as string);
  return page('@service-pay/sandbox', [
    'The payment service on your machine: as a program, as a library, by its control API.',
    '## `startSandbox(options)`',
    toMemberTable(membersOf('sandbox/src', 'SandboxOptions')),
    '## `Sandbox`',
    toMemberTable(membersOf('sandbox/src', 'Sandbox')),
    '## `control`',
    toMemberTable(membersOf('sandbox/src', 'Control')),
    '## Control API',
    toTable(
      ['call', 'what it does', 'statuses'],
      Object.entries<Part>(control['paths']).flatMap(([path, item]) =>
        Object.entries<Part>(item).map(([method, call]) => [
          code(`${method.toUpperCase()} ${path}`),
          `**${call['summary']}.** ${call['description']}`,
          Object.keys(call['responses']).join(' '),
        ]),
      ),
    ),
    '## Scenarios',
    writeScenarios().replace(/^#+ /gm, '### '),
    '## `PaymentPopup`, for Playwright',
    toMemberTable(membersOf('sandbox/src', 'PaymentPopup')),
  ]);
}

function writeContract(): string {
  const { components } = buildOpenApi({ version: '0' }) as Part;
  const names = ['Collection', 'Settlement', 'MobileMoneyDetails', 'CardDetails', 'ErrorAnswer'];
  return page('@service-pay/contract', [
    'The objects that the merchant API and its webhooks send to your server. The [OpenAPI files](../openapi.md) describe every call.',
    ...names.flatMap((name) => {
      const { description, properties = {} } = components.schemas[name];
      return [
        `## ${name}`,
        withoutNumbers(description ?? ''),
        toTable(
          ['member', 'type', 'description'],
          Object.entries<Part>(properties).map(([member, schema]) => [
            code(member),
            code([schema['type'] ?? refName(schema)].flat().join(' or ')),
            withoutNumbers(schema['description'] ?? ''),
          ]),
        ),
      ];
    }),
  ]);
}

function refName(schema: Part): string {
  const text = JSON.stringify(schema);
  const [, name = 'object'] = /#\/components\/schemas\/(\w+)/.exec(text) ?? [];
  return text.includes('"null"') ? `${name} or null` : name;
}

function writeFunction(folder: string, name: string): string {
  const { signature, doc } = functionOf(folder, name);
  return `### \`${name}\`\n\n\`\`\`ts\n${signature}\n\`\`\`\n\n${doc}`;
}

/** The members of an interface or an error, and those of another class that have a comment. */
function membersOf(folder: string, name: string): Member[] {
  return readMembers(folder, name)
    .map((member) =>
      member.isOfClass && !name.endsWith('Error')
        ? member
        : { ...member, doc: member.doc || (MEANINGS[member.name] ?? '') },
    )
    .filter(({ name, doc, isOfClass }) => !FOR_TESTS.includes(name) && (doc || !isOfClass));
}

function toMemberTable(members: readonly Member[]): string {
  return toTable(
    ['name', 'type', 'description'],
    members.map(({ name, isOptional, type, doc }) => [
      code(name) + (isOptional ? ' (optional)' : ''),
      code(type),
      doc,
    ]),
  );
}

function toTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heads, heads.map(() => '---'), ...rows];
  return lines
    .map((cells) => `| ${cells.map((cell) => cell.replace(/(?<!\\)\|/g, '\\|')).join(' | ')} |`)
    .join('\n');
}

function page(title: string, parts: readonly string[]): string {
  return `# ${title}\n\n${parts.join('\n\n')}\n`;
}

function code(text: string | undefined): string {
  return text ? `\`${text}\`` : '';
}
