import { relative } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';

import { ROOT, resolve } from './files.ts';

/** Links work as on GitHub: to a page of the site, or to another file of the repository. */
export function linkToPages(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('link_to_pages', ({ tokens, env }) => {
    const page = relative(ROOT, env.realPath ?? env.path);
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' && token.attrGet('href');
      if (href && !/^(?:[a-z]+:|[#/])/.test(href)) token.attrSet('href', resolve(page, href));
    }
  });
}

/** Shows each heading between `<!-- tabs -->` and `<!-- /tabs -->` as a tab. */
export function showTabs(markdown: MarkdownRenderer): void {
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

/** Gives each cell its column's name, which phones show in place of the table's head. */
export function labelCells(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('label_cells', ({ tokens }) => {
    let heads: string[] = [];
    let column = 0;
    for (const [at, token] of tokens.entries()) {
      if (token.type === 'thead_open') heads = [];
      if (token.type === 'tr_open') column = 0;
      if (token.type === 'th_open') heads.push(toText(tokens[at + 1]?.children));
      if (token.type === 'td_open') token.attrSet('data-label', heads[column++] ?? '');
    }
  });
}

function toText(parts: readonly { content: string }[] | null | undefined): string {
  return (parts ?? []).map(({ content }) => content).join('');
}

/** Returns the anchor that GitHub gives a heading. */
export function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
