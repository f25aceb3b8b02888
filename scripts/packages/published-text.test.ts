import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

import { ROOT } from '../programs/run-tool.ts';
import { PACKAGES } from './packages.ts';
import { REPOSITORY, withAbsoluteLinks } from './published-text.ts';

test.each(PACKAGES)('%s says where its source and its page are', (workspace) => {
  const manifest = JSON.parse(readFileSync(join(ROOT, workspace, 'package.json'), 'utf8'));

  expect(manifest).toMatchObject({
    repository: { type: 'git', url: `git+${REPOSITORY}.git`, directory: workspace },
    homepage: `${REPOSITORY}/tree/main/${workspace}#readme`,
  });
});

describe('links of a published page', () => {
  const write = (markdown: string) => withAbsoluteLinks(markdown, 'server/README.md', '1.2.3');

  test('links of a published page name a file of the same release', () => {
    expect(write('[a](../docs/errors.md#codes) [b](operate/README.md)')).toBe(
      `[a](${REPOSITORY}/blob/v1.2.3/docs/errors.md#codes) [b](${REPOSITORY}/blob/v1.2.3/server/operate/README.md)`,
    );
  });

  test('links of a published page stay as they are if they are addresses or anchors', () => {
    const links = '[a](https://shop.example/b) [b](#errors) [c](mailto:ada@example.com)';

    expect(write(links)).toBe(links);
  });
});
