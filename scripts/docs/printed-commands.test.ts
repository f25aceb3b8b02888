import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../programs/run-tool.ts';
import { findRunBy, OTHER_RUNS } from './other-runs.ts';
import {
  findPrintedCommands,
  isRun,
  listFiles,
  type PrintedCommand,
  shapeOf,
} from './printed-commands.ts';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const tests = globSync('scripts/docs/*test*.ts', { cwd: ROOT }).map(read);

/** Returns whether a test takes the command from its page, by the mark above it. */
function isTaken({ file, mark = '' }: PrintedCommand): boolean {
  const [, name] = /^(?:run|install): (\S+)$/.exec(mark) ?? [];
  const isIn = (text: string) => tests.some((source) => source.includes(text));
  return (isIn(`'${basename(file, '.md')}'`) || isIn(file)) && isIn(`'${name}'`);
}

const untaken = findPrintedCommands().filter((each) => !isTaken(each));
const ours = untaken.filter(({ command }) => shapeOf(command));
const others = untaken.filter((each) => !ours.includes(each));

describe('every command that a page, an alert or a program prints (T153)', () => {
  test('every printed command is run from the packages if it is one of ours', () => {
    expect(ours.length).toBeGreaterThan(60);
    expect(ours.filter(({ command }) => !isRun(command))).toEqual([]);
  });

  test('every printed command is run by a test, or the table says why not', () => {
    expect(others.filter((each) => !findRunBy(each))).toEqual([]);
  });

  test('the table of printed commands has no row for nothing, and names texts of tests that exist', () => {
    const used = new Set(others.map(findRunBy));
    const wrong = OTHER_RUNS.filter(
      ([, by]) => !used.has(by) || (typeof by !== 'string' && !read(by[0]).includes(by[1])),
    );

    expect(wrong).toEqual([]);
  });

  test('no printed command lets npx download a package of our name', () => {
    const shown = listFiles().filter((file) => !/\.test\.|\/test\/|^CHANGELOG/.test(file));

    expect(shown.filter((file) => /npx (?!--no -- )`?@?service-pay/.test(read(file)))).toEqual([]);
  });
});
