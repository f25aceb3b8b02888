import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../programs/run-tool.ts';
import { PROGRAM_RUNS } from './program-runs.ts';

/** A command that a page, an alert or a program prints. */
export interface PrintedCommand {
  readonly file: string;
  /** The mark above a box, by which a test finds it. */
  readonly mark: string | undefined;
  readonly command: string;
}

/** A box of commands in a page. */
const BOX = /(?:^ *<!-- (.+) -->\n)?^ *```sh\n([\s\S]*?)^ *```$/gm;

/** A command in a sentence of a page. */
const IN_SENTENCE =
  /`((?:[A-Z_]+=\S+ )?(?:npm(?! run`)|npx|node|docker|git|systemctl|systemd-run) [^`]*[^`\s])`/g;

const IS_COMMAND =
  /^(?:(?:[A-Z_]+=\S+ )?(?:npm|npx|node)|adb|cp|curl|diff|export|git|go|openssl|pg_\w+|php|python3|sh|sqlite3) /;

/** A command of ours in an alert, or in a text of a program. */
const OF_OURS = /npx --no -- service-pay[^'"`\n]*|npm create service-pay[^'"`\n]*/g;

const PROGRAMS =
  /^(?:(?:server|sandbox)\/src\/(?!.*\/test\/)|server\/operate\/|scripts\/[\w-]+\.|scripts\/packages\/create-service-pay\/index)/;

/** Returns what the pages, alerts and programs of this project tell their readers to run. */
export function findPrintedCommands(): PrintedCommand[] {
  return listFiles().flatMap((file) => {
    if (file.endsWith('.md') && file !== 'CHANGELOG.md') return findInPage(file);
    if (!PROGRAMS.test(file) || file.includes('.test.')) return [];
    return [...read(file).matchAll(OF_OURS)]
      .filter(([command]) => !/[[\\$][a-z{]/.test(command)) // a pattern, or made while it runs
      .map(([command]) => ({ file, mark: undefined, command }));
  });
}

/** Lists the files of the project, new ones included. */
export function listFiles(): string[] {
  const options = ['--cached', '--others', '--exclude-standard'];
  return execFileSync('git', ['ls-files', ...options], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file && existsSync(join(ROOT, file)));
}

function findInPage(file: string): PrintedCommand[] {
  const page = read(file);
  const boxes = [...page.matchAll(BOX)].flatMap(([, mark, box = '']) => {
    const lines = box
      .replaceAll(/ *(?:\\|\|)\n\s*/g, (end) => (end.includes('|') ? ' | ' : ' '))
      .split('\n')
      .map((line) => line.replace(/(?:^|\s+)# .*$/, '').trim())
      .filter((line) => line && !/^cd \S+$/.test(line));
    // a script is one command
    const commands = lines.every((line) => IS_COMMAND.test(line)) ? lines : [lines.join('\n')];
    return commands.map((command) => ({ file, mark, command }));
  });
  const inSentences = [...page.replaceAll(BOX, '').matchAll(IN_SENTENCE)].map(([, text = '']) => ({
    file,
    mark: undefined,
    command: text.replaceAll(/\s+/g, ' '),
  }));
  return [...boxes, ...inSentences];
}

/** The words and the options of a command of ours, without their values. */
export interface Shape {
  readonly words: string;
  readonly options: readonly string[];
}

/** Hints repeat these options of every command. */
const OF_EVERY_COMMAND = ['--database', '--env-file'];

const TAKE_NO_VALUE = ['--all', '--exit-with-stdin', '--help', '--json', '--version'];

/** Words that choose what a program does, so no words of a sentence. */
const WORDS = new Set(
  PROGRAM_RUNS.flatMap(([command]) => command.split(' ').filter((word) => /^[a-z-]+$/.test(word))),
);

/** Reads a command of ours up to the sentence that may follow; undefined if it is of others. */
export function shapeOf(command: string): Shape | undefined {
  const [, program, rest = ''] =
    /npx --no -- (service-pay(?:-sandbox)?|create-service-pay)(?![\w-])(.*)/.exec(toNpx(command)) ??
    [];
  if (!program) return undefined;
  const words = [program];
  const options: string[] = [];
  let isValue = false;
  for (const part of rest.replace(/\[(?:<words>|options)\]|<command>/g, '').split(/\s+/)) {
    const word = part.replace(/^\[|[\].,;:…]+$|\\n.*$/g, '');
    if (word.startsWith('-')) {
      options.push(word.replace(/^-h$/, '--help'));
      isValue = !TAKE_NO_VALUE.includes(options.at(-1)!);
    } else if (isValue) isValue = false;
    else if (WORDS.has(word) || (words.length === 1 && /^[a-z-]+$/.test(word))) words.push(word);
    else if (/^<|^file:|^\.?\/|^my-shop$/.test(word)) words.push('<>');
    else if (word) break;
  }
  return { words: words.join(' '), options: options.sort() };
}

/** Returns the commands of ours in what a program printed: hints, and the words that a help lists. */
export function findInOutput(output: string): string[] {
  const hints = [...output.matchAll(OF_OURS)].map(([command]) => command);
  const [, command, listed = ''] =
    /^Usage: (npx --no -- service-pay [\w-]*)[\s\S]*?\n\n((?: {2}.*\n)*)/.exec(output) ?? [];
  const words = [...listed.matchAll(/^ {2}(?!without |<)(\S.*?) {2,}/gm)];
  return [...hints, ...words.map(([, word]) => `${command?.trim()} ${word}`)];
}

/** Returns whether a command of ours is run with these words and options, in `programs.long.test.ts`. */
export function isRun(command: string): boolean {
  const printed = shapeOf(command);
  const options = printed?.options.filter((option) => !OF_EVERY_COMMAND.includes(option));
  return RUN.some(
    (run) =>
      run?.words === printed?.words && options?.every((option) => run?.options.includes(option)),
  );
}

/** Replaces a script of npm by the program of ours that it starts. */
function toNpx(command: string): string {
  return command
    .replace(/^npm create service-pay(?:@latest)?/, 'npx --no -- create-service-pay')
    .replace(/^npm run ([\w:-]+)(?: --)?/, (script, name) => {
      const program = readScripts('bff-example')[name] ?? '';
      return program.startsWith('service-pay') ? `npx --no -- ${program}` : script;
    });
}

function readScripts(folder: string): Record<string, string> {
  return (JSON.parse(read(join(folder, 'package.json'))) as { scripts: Record<string, string> })
    .scripts;
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** The runs whose arguments are accepted: exit code 2 rejects them. */
const RUN = PROGRAM_RUNS.filter(([, exitCode]) => exitCode !== 2).map(([command]) =>
  shapeOf(command),
);
