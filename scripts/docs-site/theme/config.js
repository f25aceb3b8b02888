import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

/** Written beside this file by scripts/docs-site/main.ts. */
const { nav, sidebar } = JSON.parse(readFileSync(new URL('site.json', import.meta.url), 'utf8'));

export default defineConfig({
  title: 'ServicePay',
  description: 'Take card and mobile money payments on a web page.',
  lang: 'en',
  cleanUrls: true,
  lastUpdated: false,
  // scripts/docs-site/links.ts looks at every link of the built pages, anchors included
  ignoreDeadLinks: true,
  head: [['link', { rel: 'icon', href: '/icon.svg', type: 'image/svg+xml' }]],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark' },
    anchor: { slugify: toAnchor },
    attrs: { disable: true },
    config(markdown) {
      // A table may be wider than a phone: it scrolls by itself, and the keyboard reaches it.
      markdown.renderer.rules.table_open = (tokens, at) =>
        `<div class="table${endsInSentences(tokens, at) ? ' explained' : ''}" tabindex="0"><table>\n`;
      markdown.renderer.rules.table_close = () => '</table></div>\n';
    },
  },
  vite: {
    resolve: {
      alias: [
        {
          find: /^.*\/VPHome\.vue$/,
          replacement: fileURLToPath(new URL('theme/Home.vue', import.meta.url)),
        },
      ],
    },
  },
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag === 'service-pay' } } },
  themeConfig: {
    logo: '/icon.svg',
    nav,
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    docFooter: { prev: false, next: false },
  },
});

/** Returns true if the last column of a table has a text that would be unreadable in a narrow one. */
function endsInSentences(tokens, at) {
  const end = tokens.findIndex(({ type }, index) => index > at && type === 'table_close');
  return tokens
    .slice(at, end)
    .some(({ type }, index, table) => type === 'tr_close' && table[index - 2].content.length > 40);
}

/** Returns the anchor that GitHub gives a heading, so that links work on both sites. */
function toAnchor(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
