import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildOpenApi } from '@service-pay/contract/openapi';
import { REQUEST_RULES } from '@service-pay/contract/payment-request';

import { describeElement, toTables } from '../docs/element-docs.ts';
import { writeScenarios } from '../docs/scenario-docs.ts';
import { buildOpenApiFiles, type Part } from '../openapi/openapi-files.ts';
import { withoutNumbers } from '../packages/private-numbers.ts';
import { ROOT } from '../programs/run-tool.ts';

interface Member {
  readonly name: string;
  readonly isOptional: boolean;
  readonly type: string;
  readonly doc: string;
}

/** Members that are for the project's own tests. */
const FOR_TESTS = ['failpoint', 'answerWithinMs', 'widgetDist'];

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
    'required' in rule ? 'required' : '',
    rule.expected,
  ]);
  const rows = [
    ...options,
    [code('amount'), 'required', 'above 0, in whole currency units, at most two decimals'],
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
    toTable(['option', '', 'rule'], rows),
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
  const control: Part = JSON.parse(buildOpenApiFiles()['openapi/control.json'] as string);
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
      ['call', 'what it does', 'answers'],
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
    'What page, server and payment service say to each other. These are the objects of the merchant API; [openapi](../openapi.md) has all of it as a file.',
    ...names.flatMap((name) => {
      const { description, properties = {} } = components.schemas[name];
      return [
        `## ${name}`,
        withoutNumbers(description ?? ''),
        toTable(
          ['member', 'type', ''],
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
  const pattern = new RegExp(
    `/\\*\\*((?:(?!\\*/)[^])*)\\*/\\s+export (?:async )?function ${name}\\b([^]*?) \\{\\n`,
  );
  const [, doc = '', signature = ''] = find(folder, pattern, `function ${name}`);
  return `### \`${name}\`\n\n\`\`\`ts\n${name}${signature}\n\`\`\`\n\n${toText(doc)}`;
}

/**
 * Reads the members of an interface, with those it inherits, and the documented members of a class.
 */
function membersOf(folder: string, name: string): Member[] {
  const pattern = new RegExp(`export (interface|class) ${name}\\b([^{]*)\\{\\n([^]*?)\\n\\}`);
  const [, kind, heading = '', body = ''] = find(folder, pattern, name);
  const member =
    /^ {2}(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s+)?(?:declare |readonly |override |async |get |\*)*(\w+|\[Symbol\.\w+\])(\?)?([\s\S]*?)(?:;|(?<!:)\s\{)$/gm;
  const own = [...body.matchAll(member)]
    .map(([, doc = '', name = '', optional, rest = '']) => ({
      name: rest.startsWith('(') || rest.startsWith('<') ? `${name}()` : name,
      isOptional: optional !== undefined,
      type: rest
        .replace(/^: /, '')
        .replace(/ = .*$/, '')
        .replace(/\s+/g, ' '),
      doc: toText(doc),
    }))
    .filter(({ name, doc }) => !FOR_TESTS.includes(name) && (kind === 'interface' || doc));
  return kind === 'interface' ? [...inheritedMembers(folder, heading), ...own] : own;
}

/** Follows `extends Base<…>` and `extends Omit<Base<…>, 'a' | 'b'>`. */
function inheritedMembers(folder: string, heading: string): Member[] {
  const [, base] = /\bextends\s+(?:Omit<)?(\w+)/.exec(heading) ?? [];
  if (!base) return [];
  const [, omitted = ''] = /\bextends\s+Omit<[^']*('[^>]*)>/.exec(heading) ?? [];
  return membersOf(folder, base).filter(({ name }) => !omitted.includes(`'${name}'`));
}

function docOf(folder: string, name: string): string {
  const pattern = new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\s+export \\w+ ${name}\\b`);
  return toText(find(folder, pattern, name)[1] ?? '');
}

function find(folder: string, pattern: RegExp, name: string): RegExpExecArray {
  const files = globSync(`${folder}/**/*.ts`, { cwd: ROOT }).filter(
    (file) => !file.endsWith('.test.ts'),
  );
  for (const file of files.sort()) {
    const found = pattern.exec(readFileSync(join(ROOT, file), 'utf8'));
    if (found) return found;
  }
  throw new Error(
    `${folder} has no ${name} with a doc comment: see scripts/docs-site/reference.ts.`,
  );
}

function toMemberTable(members: readonly Member[]): string {
  return toTable(
    ['name', 'type', ''],
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

/** A doc comment as one paragraph. */
function toText(doc: string): string {
  const lines = doc.split('\n').map((line) => line.replace(/^\s*\*? ?/, ''));
  return withoutNumbers(lines.join(' ').replace(/\s+/g, ' ').trim());
}
