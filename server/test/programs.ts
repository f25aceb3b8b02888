import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

export function runProgram(
  program: string,
  parameters: string[],
  folder?: string,
): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(program, parameters, {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

export class Openers {
  readonly #children;
  readonly #lines;
  readonly #errors;
  #ready: Promise<unknown> | undefined;

  constructor(count: number) {
    this.#children = Array.from({ length: count }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', OPENER]),
    );
    this.#lines = this.#children.map(({ stdout }) =>
      createInterface(stdout)[Symbol.asyncIterator](),
    );
    this.#errors = this.#children.map(({ stderr }) => text(stderr));
  }

  async open(databaseUrl: string): Promise<(string | undefined)[]> {
    this.#ready ??= this.#nextLines();
    await this.#ready;
    for (const { stdin } of this.#children) stdin.write(`${databaseUrl}\n`);
    return this.#nextLines();
  }

  async end(): Promise<string[]> {
    for (const { stdin } of this.#children) stdin.end();
    return Promise.all(this.#errors);
  }

  async #nextLines(): Promise<(string | undefined)[]> {
    return (await Promise.all(this.#lines.map((each) => each.next()))).map(({ value }) => value);
  }
}

const OPENER = `
  import { createInterface } from 'node:readline';
  import { isDatabaseFailure } from ${JSON.stringify(new URL('../src/support/database-failure.ts', import.meta.url).href)};
  import { openDatabase } from ${JSON.stringify(new URL('../src/database/open.ts', import.meta.url).href)};
  // Eight processes at once are much for a busy machine: the schema is what may not fail.
  async function countOrders(db) {
    for (;;) {
      try {
        return (await db.selectFrom('service_pay_payments').selectAll().execute()).length;
      } catch (error) {
        if (!isDatabaseFailure(error)) throw error;
      }
    }
  }
  console.log('ready');
  for await (const url of createInterface(process.stdin)) {
    const database = await openDatabase(url);
    console.log(await countOrders(database.db));
    await database.close();
  }`;
