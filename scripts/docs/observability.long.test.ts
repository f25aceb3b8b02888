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
  const { createPayments } = await import('@service-pay/server');
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
  const { reference } = await payments.create(order);
  await fetch(process.env.SERVICE_PAY_API_URL + '/_sandbox/collections', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ reference, amount: '92.50' }),
  });
  await payments.confirm(reference, order);
  while (!exporter.getFinishedSpans().some(({ name }) => name === 'service-pay fulfil'))
    await new Promise(setImmediate);
  const spans = exporter.getFinishedSpans();
  const nameOf = (id) => spans.find((span) => span.spanContext().spanId === id)?.name ?? null;
  const shown = spans.map(({ name, parentSpanContext: parent, attributes }) =>
    [name, nameOf(parent?.spanId), attributes.status ?? null]);
  console.log('SPANS ' + JSON.stringify({ idle, shown }));
  await payments.close();`;

test('docs/observability.md: OpenTelemetry gets a span for each call, with its parent, and none while idle', {
  timeout: PATIENT_MS,
}, async () => {
  const project = mkdtempSync(join(tmpdir(), 'service-pay-traces-'));
  const sandbox = await startSandbox();
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  const ours = [await pack('contract', project), await pack('server', project)];
  const theirs = ['@opentelemetry/api@1.9.0', '@opentelemetry/sdk-trace-node@2.12.1'];
  const packages = [...ours.map((tarball) => `./${tarball}`), ...theirs];
  const options = ['--no-audit', '--no-fund', '--prefer-offline', ...SHORT_RETRIES];
  const installed = await runProgram('npm', ['install', ...options, ...packages], {
    cwd: project,
    quiet: true,
  });
  expect(installed, installed.output).toMatchObject({ exitCode: 0 });
  new MarkedPage('docs/observability.md').write(project, 'tracing.js');

  const { output } = await runNode(['--input-type=module', '-e', SHOP], {
    cwd: project,
    quiet: true,
    env: { SERVICE_PAY_API_URL: sandbox.url },
  });
  const { idle, shown } = JSON.parse(/SPANS (.*)/.exec(output)?.[1] ?? output);

  expect(idle).toBe(0);
  expect(shown).toEqual([
    ['service-pay verify', 'service-pay confirm', 'successful'],
    ['service-pay confirm', null, 'paid'],
    ['ship', 'service-pay fulfil', null],
    ['service-pay fulfil', null, 'none'],
  ]);
  await sandbox.close();
  rmSync(project, { recursive: true, force: true });
});

expectEveryBlockRun(['docs/observability.md']);
