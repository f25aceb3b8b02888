import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

interface SourceMap {
  sources: string[];
  sourcesContent: (string | null)[];
}

/** Matches the part of a path, whatever builder wrote it, from where our own sources begin. */
const OURS = /(?:contract|widget)\/src\/.+/;

/**
 * Tidies the source maps of a folder for publishing: keeps the text of our sources, under the
 * package's name, and only the names of other packages' sources.
 */
export async function tidySourceMaps(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.map')) continue;
    const file = join(folder, name);
    const map = JSON.parse(await readFile(file, 'utf8')) as SourceMap;
    const isOurs = map.sources.map(
      (source) => !source.includes('node_modules/') && OURS.test(source),
    );
    const sources = map.sources.map((source, at) =>
      isOurs[at]
        ? `@service-pay/${OURS.exec(source)}`
        : source.replace(/^(?:.*node_modules\/|(?:\.\.\/)+)/, ''),
    );
    const sourcesContent = map.sourcesContent.map((text, at) => (isOurs[at] ? text : null));
    await writeFile(file, JSON.stringify({ ...map, sources, sourcesContent }));
  }
}
