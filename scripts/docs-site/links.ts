import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/**
 * Finds every link of a built site to a missing page, file or anchor. Returns each as `page: link`.
 */
export function findDeadLinks(site: string): string[] {
  const pages = new Map(
    globSync('**/*.html', { cwd: site }).map((file) => [
      file,
      readFileSync(join(site, file), 'utf8'),
    ]),
  );
  const anchors = new Map(
    [...pages].map(([file, html]) => [
      file,
      new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => decode(id as string))),
    ]),
  );
  return [...pages].flatMap(([file, html]) =>
    [...html.matchAll(/<(?:a|link|img|script|iframe)\s[^>]*?(?:href|src)="([^"]*)"/g)]
      .map(([, link]) => decode(link as string))
      .filter((link) => !/^(?:[a-z]+:|\/\/)/i.test(link) && !leadsSomewhere(file, link))
      .map((link) => `${file}: ${link}`),
  );

  function leadsSomewhere(file: string, link: string): boolean {
    const [path = '', anchor = ''] = link.split('#');
    const target = path ? posix.join(path.startsWith('/') ? '' : posix.dirname(file), path) : file;
    const found = findFile(target.replace(/^\//, '').replace(/\?.*$/, ''));
    if (!found) return false;
    return !anchor || !anchors.has(found) || anchors.get(found)!.has(decodeURIComponent(anchor));
  }

  function findFile(path: string): string | undefined {
    const names =
      path === '' || path.endsWith('/') ? [`${path}index.html`] : [path, `${path}.html`];
    return names.find((name) => pages.has(name) || existsSync(join(site, name)));
  }
}

function decode(text: string): string {
  return text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'");
}
