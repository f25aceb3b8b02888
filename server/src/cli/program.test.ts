import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runShopProgram } from '../../test/command.ts';
import { PATIENT_DATABASE } from '../../test/patience.ts';
import { runProgram } from '../../test/programs.ts';
import { startTestShop } from '../../test/shop.ts';
import { openDatabase } from '../database/open.ts';
import { DATABASES, makeDatabaseUrl } from '../testing/databases.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { TOKEN } from '../testing/upstream.ts';
import { parseConfig } from './settings.ts';

const importing = (names: string, file: string) =>
  `import { ${names} } from ${JSON.stringify(new URL(`../${file}`, import.meta.url).href)};`;

test.each([
  ['orders', [], { code: 0, stdout: expect.stringMatching(/^awaiting-payment +0$/m), stderr: '' }],
  [
    'replay',
    [],
    { code: 0, stdout: expect.stringMatching(/^No webhook has arrived yet/), stderr: '' },
  ],
  [
    'environment',
    [],
    { code: 0, stdout: expect.stringMatching(/^No service has used this database/), stderr: '' },
  ],
  ['migrate', [], { code: 0, stdout: expect.stringMatching(/^There was nothing/), stderr: '' }],
  ['doctor', [], { code: 1, stdout: expect.stringMatching(/^ok +Database /m), stderr: '' }],
  [
    'move-database',
    [],
    {
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^Usage: node \/.*main\.ts move-database/),
    },
  ],
] as const)(
  'service-pay %s is a program that ends with the exit code of its command',
  async (command, words, ended) => {
    const { url, drop } = await makeDatabaseUrl('sqlite');
    await (await openDatabase(url, PATIENT_DATABASE)).close();
    const config = parseConfig({
      DATABASE_URL: url,
      SERVICE_PAY_API_URL: 'http://localhost:9',
      SERVICE_PAY_SCRIPT_URL: 'http://localhost:9/js/v1/inline.js',
      SERVICE_PAY_API_TOKEN: TOKEN,
      SESSION_SECRET: 'a-session-secret-of-the-tests-0123456789',
    });

    expect(await runShopProgram(command, config, [...words])).toEqual(ended);
    await drop();
  },
);

test('a command whose reader leaves early, as head does, ends without a word about that', async () => {
  const { url, drop } = await makeDatabaseUrl('sqlite');
  await (await openDatabase(url, PATIENT_DATABASE)).close();
  const program = fileURLToPath(new URL('main.ts', import.meta.url));
  const doctor = spawn(process.execPath, [program, 'doctor', '--database', url], {
    env: { ...process.env, SERVICE_PAY_API_TOKEN: TOKEN },
  });
  doctor.stdout.once('data', () => doctor.stdout.destroy());

  const [[code], words] = await Promise.all([once(doctor, 'exit'), text(doctor.stderr)]);

  expect({ code, words }).toEqual({ code: 1, words: '' });
  await drop();
});

test.each(DATABASES)(
  'a command calls a service that is away again, and says that nothing is known (%s, D52)',
  async (kind) => {
    const nobody = 'http://127.0.0.1:9';
    // it calls nobody by itself
    const shop = await startTestShop(nobody, { clock: new ManualClock(Date.now()) }, {}, kind);
    const reference = await shop.browser().order();

    const { code, stderr } = await runShopProgram('replay', shop.config, [
      '--reference',
      reference,
    ]);
    await shop.close();

    expect(stderr).toMatch(
      new RegExp(
        `^${reference} stays in awaiting-payment, because its result is not known yet: `,
        'm',
      ),
    );
    expect(code).toBe(1);
  },
);

test('a command waits for a file that another program writes to, and says so where that takes too long (F8)', async () => {
  const database = await makeDatabaseUrl('sqlite');
  const command = `
    ${importing('runCommand', 'cli/command-line.ts')}
    ${importing('openDatabase', 'database/open.ts')}
    ${importing('PaymentStore', 'payments/store.ts')}
    const run = async () => {
      const [own, other] = [await openDatabase('${database.url}'), await openDatabase('${database.url}')];
      await other.db.transaction().execute(() => new PaymentStore(own).accept({ reference: 'a-reference', who: 'ann', now: 1 }));
      return 0;
    };
    process.exitCode = await runCommand({ usage: '', run }, []);`;

  const { status, output } = runProgram(process.execPath, ['--input-type=module', '-e', command]);
  await database.drop();

  expect(output).toMatch(
    /^The database does not respond or rejects writes, so the result is unknown/m,
  );
  expect(status).toBe(1);
});
