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

/** The texts of one type, or of any, that a page and its frames write to the console from now on. */
export function consoleOf(page: Page, type?: 'error'): string[] {
  const texts: string[] = [];
  page.on('console', (message) => {
    if (!type || message.type() === type) texts.push(message.text());
  });
  return texts;
}

/** The paths of the requests that a page makes from now on. */
export function requestsOf(page: Page): string[] {
  const paths: string[] = [];
  page.on('request', (request) => paths.push(new URL(request.url()).pathname));
  return paths;
}
