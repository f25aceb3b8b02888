import { globSync } from 'node:fs';
import { type DefaultTheme, defineConfig } from 'vitepress';

import { showDiagrams } from './diagrams.ts';
import { EXCLUDED, REPOSITORY, ROOT, read, toAddress, writeExtras } from './files.ts';
import { type Guide, listGuides } from './guides.ts';
import { labelCells, linkToPages, showTabs, toAnchor } from './markdown.ts';
import { writeForModels } from './models.ts';

/** `npm run docs` sets it to the sandbox that it starts. */
const { SERVICE_PAY_API_URL: serviceUrl = 'http://localhost:4010' } = process.env;

const { version } = JSON.parse(read('package.json')) as { version: string };

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
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: toAnchor },
    attrs: { disable: true },
    config(markdown) {
      linkToPages(markdown);
      showTabs(markdown);
      labelCells(markdown);
      showDiagrams(markdown);
    },
  },
  // The reference is made from the source's comments: there is no page to edit.
  transformPageData: ({ filePath, frontmatter }) =>
    filePath.startsWith('docs/reference/')
      ? { frontmatter: { ...frontmatter, editLink: false } }
      : {},
  // VitePress gives its home page no main landmark.
  transformHtml: (code, _id, { pageData }) =>
    pageData.frontmatter['layout'] === 'home'
      ? code.replace('<div class="VPHome', '<div role="main" class="VPHome')
      : undefined,
  buildEnd({ outDir, pages }) {
    writeExtras(outDir, pages);
    writeForModels(outDir);
  },
  vite: { publicDir: 'docs/.vitepress/public' },
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag === 'service-pay' } } },
  themeConfig: {
    serviceUrl,
    logo: '/icon.svg',
    nav: [
      { text: 'Quick start', link: '/quick-start/' },
      { text: 'All pages', link: '/pages' },
      { text: 'Playground', link: '/playground' },
      { text: 'Reference', link: '/reference/' },
      { text: version, link: '/changelog' },
    ],
    sidebar: readSidebar(),
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          searchOptions: {
            // runs in the browser, from its text: it can use nothing outside
            boostDocument: (id: string) =>
              /^\/(?:reference|project|changelog)/.test(id) ? 0.1 : 1,
          },
        },
      },
    },
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
    editLink: { pattern: `${REPOSITORY}/edit/main/:path` },
  } as DefaultTheme.Config,
});

function readSidebar(): DefaultTheme.SidebarItem[] {
  const sections = listGuides().map(({ title, guides }) => ({
    text: title,
    items: guides.map(({ parts, ...guide }) => ({
      ...toItem(guide),
      ...(parts.length && { collapsed: true, items: parts.map(toItem) }),
    })),
  }));
  const reference = globSync('docs/reference/**/*.md', { cwd: ROOT }).sort().map(toReference);
  return [
    ...sections,
    { text: 'Reference', link: '/reference/', collapsed: true, items: reference },
  ];
}

function toReference(file: string): DefaultTheme.SidebarItem {
  const [, title = file] = /^# (.+)$/m.exec(read(file)) ?? [];
  return toItem({ title, file });
}

function toItem({ title, file }: Guide): DefaultTheme.SidebarItem {
  const link = `/${toAddress(file).replace(/(?:index)?\.md$/, '')}`;
  return { text: title.replaceAll('<', '&lt;'), link };
}
