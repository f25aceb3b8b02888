import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A source map, as far as it is looked at. */
interface SourceMap {
  sources: string[];
  sourcesContent: (string | null)[];
}

/** Where our own sources begin in whatever path a builder wrote. */
const OURS = /(?:contract|widget)\/src\/.+/;

/**
 * Makes the source maps of a folder fit to be published: our sources under the package's name with
 * their text, so that a debugger shows them wherever they were built; of other packages, which
 * everybody can have, the name alone.
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
