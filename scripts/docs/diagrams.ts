import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

import { requireHeadlessShell } from '../programs/find-browser.ts';
import { ROOT } from '../programs/run-tool.ts';

const FOLDER = join(ROOT, 'docs/.vitepress');

/** Diagrams of the pages, one after another with its fence's indent. */
const FENCE = /^( *)```mermaid\n([\s\S]*?)^ *```$/gm;

/** The part of mermaid's global object that is used here. */
interface Mermaid {
  initialize(options: object): void;
  render(id: string, source: string): Promise<{ svg: string }>;
}

/**
 * Draws each diagram of the documentation in a browser, for both themes of the site, and writes them
 * to `diagrams.json`, by their text. Readers then load two pictures, and not the program that draws.
 */
export async function drawDiagrams(): Promise<void> {
  const sources = new Set(
    globSync('docs/**/*.md', { cwd: ROOT }).flatMap((page) =>
      [...readFileSync(join(ROOT, page), 'utf8').matchAll(FENCE)].map(([, indent, text = '']) =>
        text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      ),
    ),
  );
  const browser = await chromium.launch({
    executablePath: requireHeadlessShell(),
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const page = await browser.newPage();
  await page.addScriptTag({ path: join(FOLDER, 'node_modules/mermaid/dist/mermaid.min.js') });
  const drawn: Record<string, { light: string; dark: string }> = {};
  for (const source of sources) {
    const draw = (theme: string) =>
      page.evaluate(
        async ([source, theme]) => {
          const { mermaid } = window as unknown as { mermaid: Mermaid };
          mermaid.initialize({
            startOnLoad: false,
            theme,
            fontFamily: 'sans-serif',
            htmlLabels: false, // pictures show none
            state: { wrappingWidth: 400 }, // so that no word is cut in two
          });
          return (await mermaid.render('diagram', source)).svg;
        },
        [source, theme] as const,
      );
    drawn[source] = { light: await draw('neutral'), dark: await draw('dark') };
  }
  await browser.close();
  writeFileSync(join(FOLDER, 'diagrams.json'), JSON.stringify(drawn));
}
