import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT, read } from './files.ts';

/** Written by `scripts/docs/diagrams.ts` before a build: pictures by the text of their diagram. */
const DRAWN = 'docs/.vitepress/diagrams.json';

interface Token {
  readonly info: string;
  readonly content: string;
}

/** The part of VitePress's Markdown renderer that is used here; it is installed for `npm run docs` alone. */
interface MarkdownRenderer {
  readonly renderer: {
    // biome-ignore lint/suspicious/noExplicitAny: passed on as they come
    rules: { fence?: ((tokens: Token[], at: number, ...rest: any[]) => string) | undefined };
  };
  readonly utils: { escapeHtml(text: string): string };
}

type Drawn = Readonly<Record<string, { readonly light: string; readonly dark: string }>>;

/**
 * Shows fences of mermaid as pictures in the colours of both themes. Phones and screen readers get
 * the arrows one below the other, because a picture of three columns cannot be read there.
 */
export function showDiagrams(markdown: MarkdownRenderer): void {
  const drawn: Drawn = existsSync(join(ROOT, DRAWN)) ? JSON.parse(read(DRAWN)) : {};
  const { fence } = markdown.renderer.rules;
  markdown.renderer.rules.fence = (tokens, at, ...rest) => {
    const { info, content } = tokens[at] as Token;
    if (info.trim() !== 'mermaid') return fence?.(tokens, at, ...rest) ?? '';
    const pictures = Object.entries(drawn[content] ?? {}).map(([theme, svg]) =>
      toPicture(svg, theme),
    );
    const steps = listSteps(content)
      .map((step) => toItem(markdown, step))
      .join('');
    const list = content.startsWith('sequenceDiagram') ? 'ol' : 'ul';
    return `<figure class="diagram">${pictures.join('')}<${list}>${steps}</${list}></figure>\n`;
  };
}

interface Step {
  /** Such as `Page → Your server`; absent for a line that only says when. */
  readonly arrow?: string;
  readonly text: string;
}

/** Lists the arrows of a sequence or a state diagram in their order. */
export function listSteps(source: string): Step[] {
  const lines = source.split('\n').map((line) => line.trim());
  const names = new Map(
    lines.flatMap((line) => {
      const [, name = '', shown = ''] = /^participant (\w+) as (.+)$/.exec(line) ?? [];
      return name ? [[name, shown] as const] : [];
    }),
  );
  const nameOf = (name: string) => (name === '[*]' ? 'start' : (names.get(name) ?? name));
  return lines.flatMap((line): Step[] => {
    const [, from, to, text = ''] = /^(\w+|\[\*\]) ?--?>>? ?(\w+)(?:: (.*))?$/.exec(line) ?? [];
    if (from && to) return [{ arrow: `${nameOf(from)} → ${nameOf(to)}`, text }];
    const [, when] = /^(?:alt|else|opt|loop|Note over [\w,]+:) ?(.+)$/.exec(line) ?? [];
    if (when) return [{ text: `${when}:` }];
    const [, state, meaning] = /^(\w+): (.+)$/.exec(line) ?? [];
    return state && meaning ? [{ arrow: state, text: meaning }] : [];
  });
}

function toPicture(svg: string, theme: string): string {
  const [, width = ''] = /max-width: ([\d.]+)px/.exec(svg) ?? [];
  const source = `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
  return `<img class="for-${theme}" alt="" width="${Math.ceil(Number(width))}" src="${source}">`;
}

function toItem(markdown: MarkdownRenderer, { arrow, text }: Step): string {
  const { escapeHtml } = markdown.utils;
  if (!arrow) return `<li class="when">${escapeHtml(text)}</li>`;
  return `<li><b>${escapeHtml(arrow)}</b> ${escapeHtml(text)}</li>`;
}
