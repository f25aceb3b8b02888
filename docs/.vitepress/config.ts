import { globSync } from 'node:fs';
import { posix } from 'node:path';
import { type DefaultTheme, defineConfig } from 'vitepress';

import { EXCLUDED, REPOSITORY, ROOT, read, toAddress, writeExtras } from './files.ts';
import { drawDiagrams, labelCells, linkToPages, showTabs, toAnchor } from './markdown.ts';

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
    theme: { light: 'github-light-high-contrast', dark: 'github-dark' },
    anchor: { slugify: toAnchor },
    attrs: { disable: true },
    config(markdown) {
      linkToPages(markdown);
      showTabs(markdown);
      labelCells(markdown);
      drawDiagrams(markdown);
    },
  },
  buildEnd: ({ outDir, pages }) => writeExtras(outDir, pages),
  vite: { publicDir: 'docs/.vitepress/public' },
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag === 'service-pay' } } },
  themeConfig: {
    serviceUrl,
    logo: '/icon.svg',
    nav: [
      { text: 'Quick start', link: '/quick-start/' },
      { text: 'Playground', link: '/playground' },
      { text: 'Reference', link: '/reference/' },
      { text: version, link: '/changelog' },
    ],
    sidebar: readSidebar(),
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
    editLink: { pattern: `${REPOSITORY}/edit/main/:path` },
  } as DefaultTheme.Config,
});

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
