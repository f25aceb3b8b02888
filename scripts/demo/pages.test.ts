import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readDocumentedPolicy } from './documented-policy.ts';
import { startDemoPages } from './pages.ts';

const PATIENT = { timeout: 120_000 };
const SERVICE = 'http://localhost:4999';

let pages: Awaited<ReturnType<typeof startDemoPages>>;

beforeAll(async () => {
  pages = await startDemoPages({ port: 0, serviceUrl: SERVICE, shopUrl: 'http://localhost:3999' });
});

afterAll(() => pages.close());

describe('the demo pages', () => {
  test('the demo pages name the running service and shop, in pages and in their TypeScript', async () => {
    const [front, source] = await Promise.all(
      ['/', '/npm/index.ts'].map(async (path) => (await fetch(pages.url + path)).text()),
    );

    expect(front).toContain(`<script src="${SERVICE}/js/v1/inline.js">`);
    expect(front).toContain('<a href="http://localhost:3999">');
    expect(source).toContain(`serviceUrl: '${SERVICE}'`);
  });

  test('the demo pages have a script built from its TypeScript', PATIENT, async () => {
    const response = await fetch(`${pages.url}/strict-csp.js`);
    const script = await response.text();

    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(script).toContain(`${SERVICE}/js/v1/inline.js`);
    expect(script).not.toContain('@service-pay/widget');
  });

  test.each(['preload', 'react', 'theming'])(
    'the demo pages redirect /%s.html, which was a page, to its section',
    async (name) => {
      const response = await fetch(`${pages.url}/${name}.html`, { redirect: 'manual' });

      expect(response.status).toBe(302);
      expect(response.headers.get('location')).toBe(`/npm.html#${name}`);
    },
  );

  test.each(['strict-csp', 'npm'])(
    'the demo pages allow exactly the documented directives and own files on the page %s (T16)',
    async (name) => {
      const documented = readDocumentedPolicy(SERVICE);
      const response = await fetch(`${pages.url}/${name}.html`);
      const policy = response.headers.get('content-security-policy')!.split('; ');

      expect(documented.size).toBeGreaterThanOrEqual(5);
      expect(policy[0]).toBe("default-src 'none'");
      for (const [name, sources] of documented) {
        const own = name === 'script-src' || name === 'connect-src' ? "'self' " : '';
        expect(policy).toContain(`${name} ${own}${sources}`.trim());
      }
      expect(
        policy
          .slice(documented.size + 1)
          .filter((directive) => !/^\S+ '(?:self|none)'$/.test(directive)),
      ).toEqual([]);
    },
  );

  test(
    'the demo pages include the gallery of all states, with its own policy',
    PATIENT,
    async () => {
      const page = await fetch(`${pages.url}/gallery`);
      const script = /src="\.\/([^"]+)"/.exec(await page.text())?.[1];
      const responses = await Promise.all(
        [script, 'secret.html'].map((name) => fetch(`${pages.url}/gallery/${name}`)),
      );

      expect(page.url).toBe(`${pages.url}/gallery/`);
      expect(page.headers.get('content-security-policy')).toContain("frame-src 'self';");
      expect(responses.map(({ status }) => status)).toEqual([200, 404]);
    },
  );

  test.each(['/nowhere.html', '/..%2fpackage.json', '/%zz'])(
    'the demo pages find nothing at %s',
    async (path) => {
      expect((await fetch(pages.url + path)).ok).toBe(false);
    },
  );
});
