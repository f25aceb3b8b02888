import { posix } from 'node:path';

/** The repository's address, as in `repository` and `homepage` of each published package. */
export const REPOSITORY = 'https://github.com/service-pay/service-pay';

/** Links of Markdown to another file: no address, and no anchor of the same page. */
const RELATIVE_LINK = /(?<=\]\()(?![a-z]+:|#)([^)\s]+)(?=\))/g;

/**
 * Replaces the relative links of a Markdown file by addresses of the same release in the
 * repository: the package's page in a registry has no other files. `path` is the file's own path
 * in the repository.
 */
export function withAbsoluteLinks(markdown: string, path: string, version: string): string {
  return markdown.replace(RELATIVE_LINK, (link) => {
    const target = posix.join(posix.dirname(path), link);
    return `${REPOSITORY}/blob/v${version}/${target}`;
  });
}
