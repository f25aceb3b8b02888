import { readFile, writeFile } from 'node:fs/promises';
import { renderToString } from 'react-dom/server';

import { App } from './app.tsx';

/**
 * Renders the shop on the server into the page that the build wrote: customers see it before any
 * script has run.
 */
const page = process.argv[2]!;
const html = await readFile(page, 'utf8');
await writeFile(page, html.replace('<!--app-->', renderToString(<App />)));
