import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

import { ROOT } from '../programs/run-tool.ts';

/**
 * A fenced piece of a page after `<!-- file: … -->` and the file's name, which readers see, or after
 * `<!-- example: … -->`, `<!-- run: … -->` or `<!-- install: … -->`.
 */
const MARKED =
  /^( *)<!-- (file|example|run|install): (\S+) -->\n(?: *\*\*`\S+`\*\*\n\n)? *```\w+\n([\s\S]*?)^ *```$/gm;

/** Files and examples that were copied in this process, each after its page. */
const copied = new Set<string>();

/** Words of a page and their replacements in a test, such as free ports. */
export type Replacements = Readonly<Record<string, string>>;

interface Piece {
  kind: string;
  name: string;
  text: string;
}

/** A page with its files, examples and commands, as a reader would copy them. */
export class MarkedPage {
  readonly page: string;
  readonly #marked: Piece[];

  constructor(page: string, replacements: Replacements = {}) {
    this.page = page;
    const source = readFileSync(join(ROOT, page), 'utf8');
    this.#marked = [...source.matchAll(MARKED)].map(
      ([, indent = '', kind = '', name = '', code = '']) => ({
        kind,
        name,
        text: replaceWords(code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''), replacements),
      }),
    );
  }

  /** Writes a file of the page, or all of them below a folder (`'react/'`, or `''`). */
  write(folder: string, name: string, at = name): void {
    const isFolder = name === '' || name.endsWith('/');
    const files = this.#marked.filter(
      (each) =>
        each.kind === 'file' && (isFolder ? each.name.startsWith(name) : each.name === name),
    );
    if (!files.length) throw new Error(`${this.page} shows no file ${name}.`);
    for (const file of files) {
      const path = join(folder, isFolder ? file.name.slice(name.length) : at);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, this.#copy(file));
    }
  }

  /** Returns the files and examples that no test of this process has copied. */
  findUncopied(): string[] {
    return this.#marked
      .filter(({ kind }) => kind === 'file' || kind === 'example')
      .map(({ name }) => name)
      .filter((name) => !copied.has(`${this.page} ${name}`));
  }

  command(name: string, kind: 'run' | 'install' = 'run'): string {
    return this.#find(kind, name).text.trim();
  }

  file(name: string): string {
    return this.#copy(this.#find('file', name));
  }

  example(name: string): string {
    return this.#copy(this.#find('example', name));
  }

  #find(kind: string, name: string): Piece {
    const found = this.#marked.find((each) => each.kind === kind && each.name === name);
    if (!found) throw new Error(`${this.page} has no ${kind} ${name}.`);
    return found;
  }

  #copy({ name, text }: Piece): string {
    copied.add(`${this.page} ${name}`);
    return text;
  }
}

/** A command line that runs until it is stopped, with every process it started. */
export class ShellProgram {
  output = '';
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(command: string, cwd: string, environment: Record<string, string> = {}) {
    this.#child = spawn('sh', ['-c', command], {
      cwd,
      env: { ...cleanEnvironment(), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // a group of its own, so that it can be stopped with all that it started
    });
    this.#ended = once(this.#child, 'close');
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk) => {
        this.output += chunk;
      });
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async result(): Promise<{ exitCode: number | null; output: string }> {
    await this.#ended;
    return { exitCode: this.#child.exitCode, output: this.output };
  }

  /** Sends what a terminal sends to the program and to all that it started. */
  pressCtrlC(): void {
    process.kill(-this.#child.pid!, 'SIGINT');
  }

  async stop(): Promise<void> {
    if (this.#child.pid !== undefined) {
      try {
        process.kill(-this.#child.pid, 'SIGKILL');
      } catch {
        // the whole group has ended by itself
      }
    }
    await this.#ended;
  }
}

/** Returns a stranger's environment: the Node that runs us, and no setting of ours. */
function cleanEnvironment(): Record<string, string> {
  const path = (process.env.PATH ?? '').split(delimiter).filter((entry) => !entry.startsWith(ROOT));
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      !/^(?:NODE_(?!EXTRA_CA)|VITE|INIT_CWD|npm_|SERVICE_PAY|SANDBOX|PORT$|CI$|DRAW_|TEST$)/i.test(
        name,
      ),
  ) as [string, string][];
  return {
    ...Object.fromEntries(kept),
    PATH: [dirname(process.execPath), ...path].join(delimiter),
    NO_COLOR: '1',
    FORCE_COLOR: '0',
    NEXT_TELEMETRY_DISABLED: '1',
    npm_config_update_notifier: 'false',
  };
}

/** Replaces every word at once, so that no replacement is itself replaced. */
export function replaceWords(text: string, replacements: Replacements): string {
  const words = Object.keys(replacements).map((word) =>
    word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
  );
  if (!words.length) return text;
  return text.replace(new RegExp(words.join('|'), 'g'), (word) => replacements[word] as string);
}
