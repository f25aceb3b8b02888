import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const REPOSITORY = 'https://github.com/service-pay/service-pay';

/** Markdown that is no page of the site. The home page shows what README.md does. */
export const EXCLUDED = ['README.md', '{e2e,release,reports,screenshots,test-results}/**'];

/** Addresses of pages that were merged into others. */
const MOVED: Readonly<Record<string, string>> = {
  server: 'how-it-works',
  'popup-element-redirect': 'embedding',
  'supply-chain': 'security',
  'recipes/pg-boss': 'fulfilment',
  'fastify-nestjs': 'frameworks',
  openapi: 'api#openapi-and-postman-files',
  'quick-start/angular-solid': 'quick-start/react-vue-svelte',
  'quick-start/next-typescript': 'quick-start/full-stack',
};

/** Pages whose address does not follow from their place in the repository. */
const ADDRESSES: Readonly<Record<string, string>> = {
  'docs/home.md': 'index.md',
  'docs/README.md': 'pages.md',
  'bff-example/operate/README.md': 'operate.md',
};

/** Returns the page's file on the site for a file of the repository. */
export function toAddress(file: string): string {
  const address = ADDRESSES[file];
  if (address) return address;
  return file
    .replace(/^docs\//, '')
    .replace(/^(contract|widget|server|sandbox|bff-example)\/README\.md$/, 'packages/$1.md')
    .replace(/(^|\/)README\.md$/, '$1index.md')
    .toLowerCase();
}

/** Returns the site's address of a link in a page, or that of the repository's file. */
export function resolve(page: string, href: string): string {
  const [path = '', anchor] = href.split('#', 2);
  const target = posix.join(posix.dirname(page), path).replace(/\/$/, '');
  const file = existsSync(join(ROOT, target, 'README.md')) ? `${target}/README.md` : target;
  if (!existsSync(join(ROOT, file))) return href; // VitePress reports it
  const isPage =
    file.endsWith('.md') && !EXCLUDED.some((pattern) => posix.matchesGlob(file, pattern));
  const address = isPage ? `/${toAddress(file)}` : `${REPOSITORY}/blob/main/${file}`;
  return anchor ? `${address}#${anchor}` : address;
}

/** Writes what a static host serves beside the pages: old addresses and Markdown. */
export function writeExtras(folder: string, pages: readonly string[]): void {
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  for (const [old, now] of Object.entries(MOVED)) {
    const to = posix.relative(posix.dirname(old), now);
    write(`${old}.html`, `<!doctype html><meta http-equiv="refresh" content="0; url=${to}">\n`);
  }
  for (const page of pages) write(toAddress(page), toMarkdown(page));
}

/** Returns a page's source with links to the Markdown of other pages. */
export function toMarkdown(page: string): string {
  return read(page).replace(/\]\((?![a-z]+:|[#/])([^)\s]+)\)/g, (_, href: string) => {
    const [address = '', anchor] = resolve(page, href).split('#', 2);
    return `](${[address, anchor].filter(Boolean).join('#')})`;
  });
}

export function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}
