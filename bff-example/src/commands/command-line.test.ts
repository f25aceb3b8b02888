import { expect, test } from 'vitest';

import { DATABASES, makeDatabaseUrl } from '../test-database.ts';
import { findFreePort, runProgram } from '../test-programs.ts';
import { ManualClock, startTestShop } from '../test-shop.ts';
import { runShopCommand } from './test-command.ts';

const importing = (names: string, file: string) => `import { ${names} } from ${JSON.stringify(new URL(file, import.meta.url).href)};`;

test.each(DATABASES)('a command asks a service that is away again, and says that nothing is known (%s, D52)', async (kind) => {
  const nobody = `http://127.0.0.1:${await findFreePort()}`;
  const shop = await startTestShop(nobody, { clock: new ManualClock(Date.now()) }, {}, kind); // it asks nobody by itself
  const reference = await shop.browser().order();

  const { code, stderr } = await runShopCommand('replay', shop.config, ['--reference', reference]);
  await shop.close();

  expect(stderr).toMatch(new RegExp(`^${reference} stays in awaiting-payment, since the answer is not known yet: `, 'm'));
  expect(code).toBe(1);
});

test('a command waits for a file that another program writes to, and says so where that takes too long (F8)', async () => {
  const database = await makeDatabaseUrl('sqlite');
  const command = `
    ${importing('runCommand', 'command-line.ts')}
    ${importing('openDatabase', '../database.ts')}
    ${importing('ShopStore', '../shop-store.ts')}
    await runCommand(async () => {
      const [own, other] = [await openDatabase('${database.url}'), await openDatabase('${database.url}')];
      await other.db.transaction().execute(() => new ShopStore(own).accept('a-reference', 1));
      return 0;
    });`;

  const { status, output } = runProgram(process.execPath, ['--input-type=module', '-e', command]);
  await database.drop();

  expect(output).toMatch(/^The database does not answer right now, so nothing is certain/m);
  expect(status).toBe(1);
});
