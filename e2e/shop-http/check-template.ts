import { startSandbox } from '@service-pay/sandbox';
import { TOKEN } from '@service-pay/server/testing';
import { onTestFinished } from 'vitest';
import { MarkedPage } from '../../scripts/docs/marked-page.ts';
import { findBrokenRules } from '../../scripts/programs/check-shop.ts';
import { startTestShop } from './shop.ts';

const PREVIOUS = 'the-token-before';

/** Runs `check-shop` on the template, and returns the rules that it does not keep. */
export async function checkTemplate(
  args: readonly string[] = [],
  kind: 'sqlite' | 'postgres' = 'sqlite',
): Promise<string[]> {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  await sandbox.control.putMerchant('pub_sandbox_demo', { apiToken: TOKEN });
  const environment = { SERVICE_PAY_API_TOKEN_PREVIOUS: PREVIOUS };
  const shop = await startTestShop(sandbox.url, {}, environment, kind);
  onTestFinished(() => shop.close());
  return findBrokenRules(shop.url, sandbox.url, {
    order: JSON.parse(new MarkedPage('docs/check-shop.md').example('template')),
    output: () => shop.lines.join('\n'),
    args: ['--token', TOKEN, '--previous-token', PREVIOUS, ...args],
  });
}
