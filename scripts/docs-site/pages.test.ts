import { ERROR_CODES } from '@service-pay/contract/envelope';
import { REQUEST_RULES } from '@service-pay/contract/payment-request';
import { expect, test } from 'vitest';

import { describeElement } from '../docs/element-docs.ts';
import { buildOpenApiFiles } from '../packages/openapi-files.ts';
import { collectPages } from './pages.ts';
import { ROLES } from './roles.ts';

const { pages } = collectPages();
const read = (path: string) => pages.get(path) ?? '';

test('every role leads to pages that exist', () => {
  const paths = ROLES.flatMap(({ entries }) => entries.map(([address]) => address))
    .filter((address) => address !== 'playground')
    .map((address) => `${address.endsWith('/') ? `${address}index` : address}.md`);

  expect(paths.filter((path) => !pages.has(path))).toEqual([]);
});

test('every error code has an anchor of its own', () => {
  const errors = read('errors.md');
  const ids = [...errors.matchAll(/<a id="([\w-]+)">/g)].map(([, id]) => id as string);

  expect(new Set(ids).size).toBe(ids.length);
  for (const code of Object.keys(ERROR_CODES)) expect(ids).toContain(`error-${code}`);
  for (const code of ['invalid_options', 'already_open', 'not_configured', 'load_failed'])
    expect(ids).toContain(code);
  expect(read('packages/server.md')).toContain('<a id="not_known_yet"></a>');
});

test('the reference has every option, event, part and property of the widget', () => {
  const reference = read('reference/widget.md');
  const { events = [], cssParts = [], cssProperties = [], attributes = [] } = describeElement();
  const names = [...events, ...cssParts, ...cssProperties, ...attributes].map(({ name }) => name);

  for (const name of [...names, ...Object.keys(REQUEST_RULES)])
    expect(reference).toContain(`\`${name}\``);
});

test('the reference has createPayments, its calls, and every call of the control API', () => {
  const server = read('reference/server.md');
  const control = JSON.parse(buildOpenApiFiles()['control.json'] as string);

  for (const name of ['apiUrl', 'database', 'fulfil', 'create()', 'confirm()', 'receiveWebhook()'])
    expect(server).toContain(`| \`${name}\` |`);
  for (const path of Object.keys(control.paths))
    expect(read('reference/sandbox.md')).toContain(` ${path}\``);
});

test('the reference describes every member, and shows every signature whole', () => {
  for (const path of ['widget', 'server', 'sandbox', 'contract']) {
    const reference = read(`reference/${path}.md`);
    expect(reference.match(/^.*\| {2}\|$/gm)).toBeNull();
    for (const [, signature = ''] of reference.matchAll(/```ts\n([\s\S]*?)\n```/g))
      expect(signature).toMatch(/\): \S/);
  }
});

test('the reference has the inherited members of a payment and a paid order', () => {
  const server = read('reference/server.md');
  const namesUnder = (heading: string) => {
    const [, section = ''] = server.split(`# ${heading}\n`);
    const [table = ''] = section.split('\n#');
    return [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
  };

  expect(namesUnder('What `fulfil` gets')).toEqual([
    'id',
    'owner',
    'data',
    'amount',
    'currency',
    'reference',
  ]);
  expect(namesUnder('A payment')).toEqual(
    expect.arrayContaining(['owner', 'data', 'amount', 'currency', 'reference', 'orderId']),
  );
  expect(namesUnder('A payment')).not.toContain('id');
});

test('the reference warns that fulfil may be called twice for one order', () => {
  const [, section = ''] = read('reference/server.md').split('## `fulfil(order, context)`');

  expect(section).toMatch(/\b(?:twice|more than once|at least once)\b/);
  expect(section).toContain('`order.id`');
});

test('tabs and links are those of the site, and no private number is in the reference', () => {
  expect(read('quick-start/server.md')).toContain('<LanguageTabs names="Node|Python|PHP|Go" />');
  expect(read('quick-start/index.md')).toContain('(../packages/sandbox.md#test-numbers)');
  expect(read('quick-start/server.md')).not.toContain('<!--');
  for (const path of ['widget', 'server', 'sandbox', 'contract'])
    expect(read(`reference/${path}.md`)).not.toMatch(/\((?:[DTU]\d+|specification \d)/);
});
