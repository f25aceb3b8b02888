import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { findDeadLinks } from './links.ts';

let site: string;

beforeEach(() => {
  site = mkdtempSync(join(tmpdir(), 'dead-links-'));
  mkdirSync(join(site, 'guide'));
  writeFileSync(join(site, 'guide/index.html'), '<h2 id="there">Guide</h2>');
  writeFileSync(join(site, 'errors.html'), '<h2 id="error-01">01</h2>');
  writeFileSync(join(site, 'icon.svg'), '<svg></svg>');
});
afterEach(() => rmSync(site, { recursive: true }));

test('takes links to pages, folders, files, anchors and other sites for alive', () => {
  const links = [
    '/guide/',
    './errors',
    'errors#error-01',
    '/guide/#there',
    '#top',
    '/icon.svg?v=1#any',
    'https://elsewhere.example/none',
    'mailto:ada@example.com',
  ];
  writeFileSync(
    join(site, 'index.html'),
    `<h1 id="top">Home</h1>${links.map((link) => `<a class="x" href="${link}">x</a>`).join('')}`,
  );

  expect(findDeadLinks(site)).toEqual([]);
});

test.each(['/gone', './guide/gone', '#gone', '/errors#error-99', '/gone.svg'])(
  'names the page of a link to %s',
  (link) => {
    writeFileSync(join(site, 'index.html'), `<a href="${link}">x</a>`);

    expect(findDeadLinks(site)).toEqual([`index.html: ${link}`]);
  },
);
