import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from '@service-pay/sandbox';
import { expect, test } from 'vitest';
import { SHORT_RETRIES } from '../packages/installed-project.ts';
import { pack } from '../packages/pack.ts';
import { runNode, runProgram } from '../programs/run-tool.ts';
import { expectEveryBlockRun } from './every-block.ts';
import { MarkedPage } from './marked-page.ts';

const PATIENT_MS = 5 * 60_000;

const SHOP = `
  import { trace } from '@opentelemetry/api';
  import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
  const exporter = new InMemorySpanExporter();
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
  const { inSpan } = await import('./tracing.js');
  const { createPayments, signWebhook } = await import('@service-pay/server');
  const payments = await createPayments({
    apiUrl: process.env.SERVICE_PAY_API_URL,
    apiToken: 'sec_sandbox_demo',
    publicKey: 'pub_sandbox_demo',
    database: 'file:' + process.cwd() + '/shop.db',
    fulfil: () => inSpan(async () => trace.getTracer('shop').startSpan('ship').end()),
    log: { info() {}, warn() {}, error: console.error },
  });
  await payments.work();
  const idle = exporter.getFinishedSpans().length;
  const order = { amount: '92.50', currency: 'ZMW', owner: 'ann', data: {} };
  const { reference, orderId } = await payments.create(order);
  await fetch(process.env.SERVICE_PAY_API_URL + '/_sandbox/collections', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ reference, amount: '92.50' }),
  });
  const body = JSON.stringify({ event: 'collection.successful', data: { reference } });
  const headers = { 'x-servicepay-signature': signWebhook(body, 'sec_sandbox_demo') };
  await payments.receiveWebhook({ headers, rawBody: body });
  while (!exporter.getFinishedSpans().some(({ name }) => name === 'service-pay fulfil'))
    await new Promise(setImmediate);
  const forged = { 'x-servicepay-signature': 'a'.repeat(128) };
  await payments.receiveWebhook({ headers: forged, rawBody: body });
  const spans = exporter.getFinishedSpans();
  const nameOf = (id) => spans.find((span) => span.spanContext().spanId === id)?.name ?? null;
  const describe = ({ name, parentSpanContext: parent, attributes, links, status }) => ({
    name,
    parent: nameOf(parent?.spanId),
    links: links.map(({ context }) => nameOf(context.spanId)),
    status: [status.code, attributes.status ?? null],
    isOfPayment: attributes.reference === reference,
    isOfOrder: attributes.orderId === orderId,
  });
  console.log('SPANS ' + JSON.stringify({ idle, shown: spans.map(describe) }));
  EXPRESS
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const served = await fetch('http://127.0.0.1:' + server.address().port + '/metrics');
  const responses = [served, await GET()].map(async (response) => [
    response.headers.get('content-type'),
    (await response.text()).includes('service_pay_orders_total{result="created"} 1'),
  ]);
  console.log('METRICS ' + JSON.stringify(await Promise.all(responses)));
  server.close();
  await payments.close();`;

test('docs/observability.md: OpenTelemetry gets a span for each call, with what it is about, its parent or link and a status, and none while idle; both routes serve the metrics', {
  timeout: PATIENT_MS,
}, async () => {
  const project = mkdtempSync(join(tmpdir(), 'service-pay-traces-'));
  const sandbox = await startSandbox();
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  const ours = [await pack('contract', project), await pack('server', project)];
  const theirs = [
    ...['@opentelemetry/api@1.9.0', '@opentelemetry/sdk-trace-node@2.12.1'],
    ...['better-sqlite3@13.2.0', 'express@5.3.0'],
  ];
  const packages = [...ours.map((tarball) => `./${tarball}`), ...theirs];
  const options = ['--no-audit', '--no-fund', '--prefer-offline', ...SHORT_RETRIES];
  const installed = await runProgram('npm', ['install', ...options, ...packages], {
    cwd: project,
    quiet: true,
  });
  expect(installed, installed.output).toMatchObject({ exitCode: 0 });
  const page = new MarkedPage('docs/observability.md');
  page.write(project, 'tracing.js');
  const fetchRoute = page.example('metrics-fetch').replace('export ', '');
  const routes = `${page.example('metrics-express')}\n${fetchRoute}`;
  const script = SHOP.replace(
    'EXPRESS',
    `const app = (await import('express')).default();\n${routes}`,
  );

  const { output } = await runNode(['--input-type=module', '-e', script], {
    cwd: project,
    quiet: true,
    env: { SERVICE_PAY_API_URL: sandbox.url },
  });
  const read = (mark: string) =>
    JSON.parse(new RegExp(`${mark} (.*)`).exec(output)?.[1] ?? output) as any;
  const { idle, shown } = read('SPANS');

  const [UNSET, OK] = [0, 1];
  const rest = { parent: null, links: [], isOfPayment: true, isOfOrder: false };
  expect(idle).toBe(0);
  expect(shown).toEqual([
    { ...rest, name: 'service-pay webhook', status: [OK, 200] },
    {
      ...rest,
      name: 'service-pay verify',
      parent: 'service-pay confirm',
      status: [OK, 'successful'],
    },
    {
      ...rest,
      name: 'service-pay confirm',
      parent: 'service-pay webhook',
      status: [OK, 'paid'],
    },
    {
      ...rest,
      name: 'ship',
      parent: 'service-pay fulfil',
      status: [UNSET, null],
      isOfPayment: false,
    },
    {
      ...rest,
      name: 'service-pay fulfil',
      links: ['service-pay confirm'],
      status: [OK, null],
      isOfOrder: true,
    },
    { ...rest, name: 'service-pay webhook', status: [OK, 401], isOfPayment: false },
  ]);
  expect(read('METRICS')).toEqual([
    [expect.stringMatching(/^text\/plain; version=/), true],
    [expect.stringMatching(/^text\/plain; version=/), true],
  ]);
  await sandbox.close();
  rmSync(project, { recursive: true, force: true });
});

expectEveryBlockRun(['docs/observability.md']);
