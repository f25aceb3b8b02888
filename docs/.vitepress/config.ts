import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DefaultTheme, defineConfig, type MarkdownRenderer } from 'vitepress';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const REPOSITORY = 'https://github.com/service-pay/service-pay/blob/main';

/** Markdown that is no page of the site. */
const EXCLUDED = ['README.md', 'docs/_include/**', '{e2e,release,reports,screenshots}/**'];

/** `npm run docs` sets it to the sandbox that it starts. */
const { SERVICE_PAY_API_URL: serviceUrl = 'http://localhost:4010' } = process.env;

export default defineConfig({
  title: 'ServicePay',
  description: 'Take card and mobile money payments on a web page.',
  lang: 'en',
  srcDir: '../',
  srcExclude: EXCLUDED,
  rewrites: toAddress,
  cleanUrls: true,
  // The sandbox runs beside the site, and not while it is built.
  ignoreDeadLinks: [/^http:\/\/localhost/],
  head: [['link', { rel: 'icon', href: '/icon.svg', type: 'image/svg+xml' }]],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark' },
    anchor: { slugify: toAnchor },
    attrs: { disable: true },
    config(markdown) {
      linkToPages(markdown);
      showTabs(markdown);
    },
  },
  vite: { publicDir: 'docs/.vitepress/public' },
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag === 'service-pay' } } },
  themeConfig: {
    serviceUrl,
    logo: '/icon.svg',
    nav: [
      { text: 'Quick start', link: '/quick-start/' },
      { text: 'Playground', link: '/playground' },
      { text: 'Reference', link: '/reference/' },
      { text: 'Changelog', link: '/changelog' },
    ],
    sidebar: readSidebar(),
    outline: [2, 3],
    search: { provider: 'local' },
    docFooter: { prev: false, next: false },
  } as DefaultTheme.Config,
});

/** Returns the page's file on the site for a file of the repository. */
function toAddress(file: string): string {
  if (file === 'bff-example/operate/README.md') return 'operate.md';
  return file
    .replace(/^docs\//, '')
    .replace(/^(contract|widget|server|sandbox|bff-example)\/README\.md$/, 'packages/$1.md')
    .replace(/(^|\/)README\.md$/, '$1index.md')
    .toLowerCase();
}

/** Each section of `docs/README.md` with the pages it lists, by their titles. */
function readSidebar(): DefaultTheme.SidebarItem[] {
  const [, ...sections] = read('docs/README.md').split('\n## ');
  const lists = sections.map((section) => {
    const links = [...section.matchAll(/\]\(([^)#]+\.md)\)/g)];
    const files = links.map(([, link = '']) => posix.join('docs', link));
    return {
      text: section.split('\n', 1)[0] as string,
      collapsed: false,
      items: files.map((file) => {
        const others = /^docs\/.+\/README\.md$/.test(file)
          ? globSync(file.replace('README.md', '!(README).md'), { cwd: ROOT }).sort()
          : [];
        return {
          ...toItem(file),
          ...(others.length && { collapsed: true, items: others.map(toItem) }),
        };
      }),
    };
  });
  const reference = globSync('docs/reference/**/*.md', { cwd: ROOT }).sort().map(toItem);
  return [...lists, { text: 'Reference', collapsed: true, items: reference }];
}

function toItem(file: string): DefaultTheme.SidebarItem {
  const [, title = file] = /^# (.+)$/m.exec(read(file)) ?? [];
  const link = `/${toAddress(file).replace(/(?:index)?\.md$/, '')}`;
  return { text: title.replaceAll('`', '').replaceAll('<', '&lt;'), link };
}

/** Links work as on GitHub: to a page of the site, or to another file of the repository. */
function linkToPages(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('link_to_pages', ({ tokens, env }) => {
    const page = relative(ROOT, env.realPath ?? env.path);
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' && token.attrGet('href');
      if (href && !/^(?:[a-z]+:|[#/])/.test(href)) token.attrSet('href', resolve(page, href));
    }
  });
}

function resolve(page: string, href: string): string {
  const [path = '', anchor] = href.split('#', 2);
  const target = posix.join(posix.dirname(page), path).replace(/\/$/, '');
  const file = existsSync(join(ROOT, target, 'README.md')) ? `${target}/README.md` : target;
  if (!existsSync(join(ROOT, file))) return href; // VitePress reports it
  const isPage =
    file.endsWith('.md') && !EXCLUDED.some((pattern) => posix.matchesGlob(file, pattern));
  const address = isPage ? `/${toAddress(file)}` : `${REPOSITORY}/${file}`;
  return anchor ? `${address}#${anchor}` : address;
}

/** Shows each heading between `<!-- tabs -->` and `<!-- /tabs -->` as a tab. */
function showTabs(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('tabs', (state) => {
    const html = (content: string) =>
      Object.assign(new state.Token('html_block', '', 0), { content: `${content}\n` });
    const isMark = (at: number, mark: string) =>
      state.tokens[at]?.type === 'html_block' && state.tokens[at].content.trim() === mark;
    let tag: string | undefined; // of the headings that are tabs, inside the marks
    let isFirst = true;
    const shown: typeof state.tokens = [];
    for (let at = 0; at < state.tokens.length; at++) {
      const token = state.tokens[at] as (typeof shown)[number];
      if (isMark(at, '<!-- tabs -->')) {
        tag = state.tokens.slice(at).find(({ type }) => type === 'heading_open')?.tag;
        isFirst = true;
        shown.push(html('<PluginTabs sharedStateKey="language">'));
      } else if (isMark(at, '<!-- /tabs -->')) {
        tag = undefined;
        shown.push(html('</PluginTabsTab></PluginTabs>'));
      } else if (tag && token.type === 'heading_open' && token.tag === tag) {
        const label = markdown.utils.escapeHtml(state.tokens[at + 1]?.content ?? '');
        shown.push(html(`${isFirst ? '' : '</PluginTabsTab>'}<PluginTabsTab label="${label}">`));
        isFirst = false;
        at += 2; // the heading's text and end
      } else shown.push(token);
    }
    state.tokens = shown;
  });
}

/** Returns the anchor that GitHub gives a heading. */
function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}
