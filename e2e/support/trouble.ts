import type { Page } from '@playwright/test';

/**
 * Collects everything a developer would see on the console, of page and frames: messages, uncaught
 * errors, violations of a policy.
 */
export async function watchForTrouble(page: Page): Promise<string[]> {
  const trouble: string[] = [];
  page.on('console', (message) => trouble.push(message.text()));
  page.on('pageerror', (error) => trouble.push(error.message));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (violation) =>
      console.error('violation', violation.violatedDirective, violation.blockedURI),
    );
  });
  return trouble;
}
