import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

import { ROOT, runTool } from '../programs/run-tool.ts';

const LONG = execFileSync('git', ['ls-files', '*.long.test.ts'], { cwd: ROOT, encoding: 'utf8' })
  .trim()
  .split('\n');

/** Returns the files that Vitest runs with these words. */
async function listFiles(...words: string[]): Promise<string[]> {
  const { output } = await runTool('vitest', ['list', '--filesOnly', ...words], { quiet: true });
  return [...output.matchAll(/\S+\.test\.ts/g)].map(([file]) => file);
}

describe('Vitest', () => {
  test('Vitest starts no long test of a folder, unless it is named as a file or by its project', async () => {
    const [file = ''] = LONG.filter((each) => each.startsWith('server/src/database/'));
    const ofFolder = await listFiles('server/src/database/');

    expect(ofFolder.length).toBeGreaterThan(5);
    expect(ofFolder.filter((each) => each.includes('.long.'))).toEqual([]);
    expect(await listFiles(file)).toEqual([file]);
    expect(await listFiles('--project', 'long', 'server/src/database/')).toContain(file);
  });

  test('no folder has a long test unless CONTRIBUTING names it', () => {
    const [, named = ''] =
      /long tests, which are\s+in (.+?): name/s.exec(
        readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8'),
      ) ?? [];
    const folders = [...named.matchAll(/`([^`]+)`/g)].flatMap(([, path = '']) => {
      const [, start = path, list = ''] = /^(.*)\{(.*)\}$/.exec(path) ?? [];
      return list ? list.split(',').map((name) => start + name) : [path];
    });

    expect(folders.length).toBeGreaterThan(5);
    expect(LONG.filter((each) => !folders.some((folder) => each.startsWith(`${folder}/`)))).toEqual(
      [],
    );
  });
});
