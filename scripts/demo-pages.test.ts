import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { startDemoPages } from './demo-pages.ts';

let folder: string;
let pages: Awaited<ReturnType<typeof startDemoPages>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'service-pay-pages-'));
  mkdirSync(join(folder, 'public/assets'), { recursive: true });
  writeFileSync(join(folder, 'secret.html'), 'secret');
  writeFileSync(join(folder, 'public/index.html'), '<script src="{{scriptUrl}}"></script>{{unheardOf}} {{publicKey}}');
  writeFileSync(join(folder, 'public/assets/pages.css'), 'main { color: {{publicKey}}; }');
  pages = await startDemoPages({
    folder: join(folder, 'public'),
    port: 0,
    scriptUrl: 'http://localhost:4010/js/v1/inline.js',
    publicKey: 'pub_"demo"',
    shopUrl: 'http://localhost:3000',
  });
});

afterAll(async () => {
  await pages.close();
  rmSync(folder, { recursive: true });
});

describe('the demo pages', () => {
  test('fill what they know into a page, as text, and leave the rest', async () => {
    const response = await fetch(pages.url);

    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await response.text()).toBe('<script src="http://localhost:4010/js/v1/inline.js"></script>{{unheardOf}} pub_&#34;demo&#34;');
  });

  test('send other files as they are', async () => {
    const response = await fetch(`${pages.url}/assets/pages.css`);

    expect(response.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(await response.text()).toContain('{{publicKey}}');
  });

  test('allow the service and nothing inline (T16)', async () => {
    const response = await fetch(pages.url);
    const policy = response.headers.get('content-security-policy');

    expect(policy).toContain("script-src 'self' http://localhost:4010;");
    expect(policy).toContain('frame-src http://localhost:4010;');
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain('unsafe');
  });

  test.each(['/nowhere.html', '/../secret.html', '/..%2fsecret.html', '/%2e%2e/secret.html', '/%zz', '//', '/assets'])(
    'find nothing at %s',
    async (path) => {
      expect(await statusOf(path)).toBe(404);
    },
  );

  test('take no other method than GET and HEAD', async () => {
    const response = await fetch(pages.url, { method: 'POST', body: 'x' });

    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD');
  });
});

/** Asks for a path as it is written: `fetch` would tidy it first. */
function statusOf(path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(`${pages.url}`, { path }, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end();
  });
}
