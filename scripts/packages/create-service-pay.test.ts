import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runNode } from '../programs/run-tool.ts';
import { writeCreatePackage } from './create-package.ts';

describe('create-service-pay', () => {
  const folder = mkdtempSync(join(tmpdir(), 'create-service-pay-'));
  const program = join(folder, 'package', 'index.js');
  let place: string;

  beforeAll(() => {
    mkdirSync(join(folder, 'package'));
    writeCreatePackage(join(folder, 'package'));
  });

  beforeEach(() => {
    place = mkdtempSync(join(folder, 'place-'));
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  const create = (...words: string[]) => runNode([program, ...words], { cwd: place, quiet: true });

  test.each(['shop', '.', 'new/shop'])(
    'create-service-pay leaves nothing behind in %s if it fails',
    async (name) => {
      const failed = await create(name, '--packages', 'none');

      expect(failed).toMatchObject({
        exitCode: 1,
        output: expect.stringMatching(
          /^service-pay-\S+\.tgz is not in \S+none\. Name the folder .*\n$/,
        ),
      });
      expect(readdirSync(place)).toEqual([]);
      expect((await create(name)).exitCode).toBe(0);
      expectWhole(join(place, name));
      expect(await create(name)).toMatchObject({
        exitCode: 1,
        output: expect.stringMatching(/ is not empty\. /),
      });
    },
  );

  test.each([
    ['my-shop', 'my-shop'],
    ['new/Kabwata Market', 'kabwata-market'],
    ['.half~made!', 'half-made'],
    ['Épicerie', 'epicerie'],
    ['市场', 'shop'],
    ['node_modules', 'shop'],
  ])('create-service-pay names the package of a shop in %s %s', async (name, packageName) => {
    await create(name);

    const manifest = JSON.parse(readFileSync(join(place, name, 'package.json'), 'utf8'));
    expect(manifest.name).toBe(packageName);
  });

  test('create-service-pay leaves the whole template or nothing if it is interrupted', async () => {
    for (let run = 0; run < 5; run++) {
      const child = spawn(process.execPath, [program, `shop-${run}`], { cwd: place });
      const ended = once(child, 'exit');
      const before = readdirSync(place).length;
      while (readdirSync(place).length === before && child.exitCode === null)
        await new Promise(setImmediate);
      child.kill('SIGINT');
      const [exitCode] = await ended; // or none, if the signal came while Node was already ending

      if (readdirSync(place).length > before) expectWhole(join(place, `shop-${run}`));
      else expect(exitCode).toBe(130);
    }
  });

  function expectWhole(shop: string): void {
    expect(readdirSync(shop)).toEqual(expect.arrayContaining(['.env', '.gitignore', 'src']));
    expect(readFileSync(join(shop, 'Dockerfile'), 'utf8')).not.toContain('COPY vendor');
    expect(readdirSync(shop).filter((name) => name.includes('half'))).toEqual([]);
    expect(existsSync(join(shop, 'gitignore'))).toBe(false);
  }
});
