import { posix } from 'node:path';

import { read } from './files.ts';

export interface Guide {
  readonly title: string;
  readonly file: string;
}

export interface Section {
  readonly title: string;
  readonly guides: readonly (Guide & { readonly parts: readonly Guide[] })[];
}

/**
 * Lists the sections of `docs/README.md` with their pages, in reading order. A page that is itself
 * a list, such as that of the quick starts, has the pages of its first table as parts.
 */
export function listGuides(): Section[] {
  const [, ...sections] = read('docs/README.md').split('\n## ');
  return sections.map((section) => {
    const [title = ''] = section.split('\n', 1);
    const guides = linksIn(rowsOf(section), 'docs/README.md').map((guide) => ({
      ...guide,
      parts: /^docs\/.+\/README\.md$/.test(guide.file)
        ? linksIn(rowsOf(read(guide.file)), guide.file)
        : [],
    }));
    return { title, guides };
  });
}

function rowsOf(text: string): string {
  return text
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .join('\n');
}

function linksIn(text: string, page: string): Guide[] {
  return [...text.matchAll(/\[([^\]]+)\]\(([^)#]+\.md)\)/g)].map(([, title = '', link = '']) => ({
    title: title.replaceAll('`', ''),
    file: posix.join(posix.dirname(page), link),
  }));
}
