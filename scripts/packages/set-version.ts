import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MANIFESTS = ['package.json', '*/package.json', 'scripts/packages/create-service-pay/*.json'];

/**
 * Sets the version of every package, the pins between them, the pinned script in the docs, and moves
 * Unreleased of CHANGELOG.md to a section of this version. `root` is the repository, `date` today.
 */
export function setVersion(root: string, version: string, date: string): void {
  const edit = (file: string, change: (text: string) => string) =>
    writeFileSync(join(root, file), change(readFileSync(join(root, file), 'utf8')));
  for (const file of globSync(MANIFESTS, { cwd: root }))
    edit(file, (text) =>
      text
        .replace(/^( {2}"version": )"[^"]+"/m, `$1"${version}"`)
        .replace(/^( +"@service-pay\/[a-z]+": )"\d[^"]*"/gm, `$1"${version}"`),
    );
  edit('docs/security.md', (text) =>
    text.replace(/\/js\/\d+\.\d+\.\d+[-a-z.\d]*\/inline\.js/g, `/js/${version}/inline.js`),
  );
  edit('docs/install.md', (text) =>
    text.replace(/(service-pay-\w+)-\d+\.\d+\.\d+[-a-z.\d]*(?=\.tgz)/g, `$1-${version}`),
  );
  edit('README.md', (text) =>
    text.replace(/^- \*\*Version .*$/m, `- **Version ${version}**, on npm.`),
  );
  edit('CHANGELOG.md', (text) =>
    text.replace(/^## Unreleased\n/m, `## Unreleased\n\n## ${version} (${date})\n`),
  );
}
