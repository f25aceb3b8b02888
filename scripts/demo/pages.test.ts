import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readDocumentedPolicy } from './documented-policy.ts';
import { startDemoPages } from './pages.ts';

const PATIENT_MS = 120_000;

const SHOWN = `<ul>
  <!-- source -->
  <li key="{{publicKey}}">
    &amp;
  </li>
  <!-- /source -->
</ul>
<pre>{{source}}</pre><pre>{{source /assets/pages.css}}</pre><pre>{{source /../secret.html}}</pre>`;

let folder: string;
let pages: Awaited<ReturnType<typeof startDemoPages>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'service-pay-pages-'));
  mkdirSync(join(folder, 'public/assets'), { recursive: true });
  writeFileSync(join(folder, 'secret.html'), 'secret');
  writeFileSync(
    join(folder, 'public/index.html'),
    '<script src="{{scriptUrl}}"></script>{{unheardOf}} {{publicKey}}',
  );
  writeFileSync(join(folder, 'public/assets/pages.css'), 'main { color: {{publicKey}}; }');
  writeFileSync(join(folder, 'public/source.html'), SHOWN);
  writeFileSync(join(folder, 'public/headers.html'), '{{headers}}');
  writeFileSync(
    join(folder, 'public/parts.html'),
    '{{include /index.html}} {{include /../secret.html}}',
  );
  writeFileSync(
    join(folder, 'public/assets/typed.ts'),
    'const told: string = "typed";\nconsole.log(told);',
  );
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
  test('include a part, fill it too, and include nothing outside their folder', async () => {
    const page = await (await fetch(`${pages.url}/parts.html`)).text();

    expect(page).toBe(
      '<script src="http://localhost:4010/js/v1/inline.js"></script>{{unheardOf}} pub_&#34;demo&#34; {{include /../secret.html}}',
    );
  });

  test('fill what they know into a page, as text, and leave the rest', async () => {
    const response = await fetch(pages.url);

    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await response.text()).toBe(
      '<script src="http://localhost:4010/js/v1/inline.js"></script>{{unheardOf}} pub_&#34;demo&#34;',
    );
  });

  test('send other files as they are', async () => {
    const response = await fetch(`${pages.url}/assets/pages.css`);

    expect(response.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(await response.text()).toContain('{{publicKey}}');
  });

  test('show what a page marks as its source, and whole files, as they are', async () => {
    const page = await (await fetch(`${pages.url}/source.html`)).text();

    expect(page).toContain(
      '<pre>&#60;li key=&#34;pub_&#38;#34;demo&#38;#34;&#34;&#62;\n  &#38;amp;\n&#60;/li&#62;</pre>',
    );
    expect(page).toContain('<pre>main { color: {{publicKey}}; }</pre>');
    expect(page).toContain('<pre>{{source /../secret.html}}</pre>');
  });

  test('show the headers that came with a page', async () => {
    const response = await fetch(`${pages.url}/headers.html`);
    const shown = (await response.text()).replaceAll('&#39;', "'").replace(/\s+/g, ' ');

    expect(shown).toContain(
      `content-security-policy: ${response.headers.get('content-security-policy')} `,
    );
  });

  test('make a script of its TypeScript', async () => {
    const response = await fetch(`${pages.url}/assets/typed.js`);

    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(await response.text()).toMatch(/^console\.log\([`"']typed[`"']\);?\s*$/);
  });

  test('allow exactly the documented directives and their own files (T16)', async () => {
    const documented = readDocumentedPolicy('http://localhost:4010');
    const policy = (await fetch(pages.url)).headers.get('content-security-policy')!.split('; ');

    expect(documented.size).toBeGreaterThanOrEqual(5);
    expect(policy[0]).toBe("default-src 'none'");
    for (const [name, sources] of documented) {
      expect(policy).toContain(
        name === 'script-src' ? `script-src 'self' ${sources}` : `${name} ${sources}`,
      );
    }
    expect(
      policy
        .slice(documented.size + 1)
        .filter((directive) => !/^\S+ '(?:self|none)'$/.test(directive)),
    ).toEqual([]);
  });

  test('allow the service and nothing inline (T16)', async () => {
    const response = await fetch(pages.url);
    const policy = response.headers.get('content-security-policy');

    expect(policy).toContain("script-src 'self' http://localhost:4010;");
    expect(policy).toContain('frame-src http://localhost:4010;');
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain('unsafe');
  });

  test.each([
    '/nowhere.html',
    '/../secret.html',
    '/..%2fsecret.html',
    '/%2e%2e/secret.html',
    '/%zz',
    '//',
    '/assets',
  ])('find nothing at %s', async (path) => {
    expect(await statusOf(path)).toBe(404);
  });

  test('include the gallery of all states, with its own policy', {
    timeout: PATIENT_MS,
  }, async () => {
    const page = await fetch(`${pages.url}/gallery/`);
    const script = /src="\.\/([^"]+)"/.exec(await page.text())?.[1];
    const answers = await Promise.all(
      [script, 'secret.html', '../index.html'].map((name) => statusOf(`/gallery/${name}`)),
    );

    expect(page.headers.get('content-security-policy')).toContain("frame-src 'self';");
    expect(answers).toEqual([200, 404, 404]);
  });

  test('accept only GET and HEAD', async () => {
    const response = await fetch(pages.url, { method: 'POST', body: 'x' });

    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD');
  });
});

/** Sends the path as it is: `fetch` would normalise it first. */
function statusOf(path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(`${pages.url}`, { path }, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end();
  });
}
