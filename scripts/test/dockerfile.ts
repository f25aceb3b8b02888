import { cpSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface Stage {
  readonly folder: string;
  readonly environment: Record<string, string>;
  user: string;
  command: string[];
  healthcheck: string[];
}

/**
 * Executes a Dockerfile without Docker, and returns its stages by name: each starts as an empty
 * folder in `target`, or as a copy of the stage it names, and stands for `WORKDIR`. `run` runs a
 * command there. Throws at an instruction it does not know.
 */
export async function carryOutDockerfile(
  context: string,
  target: string,
  run: (command: string, stage: Stage) => Promise<void>,
): Promise<Map<string, Stage>> {
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const [instruction, text] of readInstructions(join(context, 'Dockerfile'))) {
    const words = text.split(/\s+/);
    if (instruction === 'FROM') {
      const [base = '', , name = ''] = words;
      stage = startStage(join(target, name), stages.get(base));
      stages.set(name, stage);
      continue;
    }
    if (!stage) throw new Error(`${instruction} is before FROM.`);
    if (instruction === 'COPY') copy(context, stage.folder, words);
    else if (instruction === 'RUN') await run(text, stage);
    else if (instruction === 'USER') stage.user = text;
    else if (instruction === 'CMD') stage.command = JSON.parse(text);
    else if (instruction === 'HEALTHCHECK')
      stage.healthcheck = JSON.parse(text.replace(/^.*?CMD /, ''));
    else if (instruction === 'ENV') {
      const [name = '', value = ''] = text.split('=', 2);
      stage.environment[name] = value;
    } else if (!['WORKDIR', 'EXPOSE'].includes(instruction))
      throw new Error(`${instruction} is not known here.`);
  }
  return stages;
}

function readInstructions(file: string): [instruction: string, text: string][] {
  const lines = readFileSync(file, 'utf8').replaceAll('\\\n', ' ').split('\n');
  return lines
    .filter((line) => /^[A-Z]/.test(line))
    .map((line) => [line.split(' ', 1)[0]!, line.replace(/^[A-Z]+ /, '')]);
}

function startStage(folder: string, base: Stage | undefined): Stage {
  mkdirSync(folder, { recursive: true });
  if (!base) return { folder, environment: {}, user: 'root', command: [], healthcheck: [] };
  cpSync(base.folder, folder, { recursive: true });
  return { ...base, folder, environment: { ...base.environment } };
}

function copy(context: string, folder: string, words: readonly string[]): void {
  const target = words.at(-1)!;
  for (const source of words.slice(0, -1)) {
    const from = join(context, source);
    const isInto = statSync(from).isFile() && target.endsWith('/');
    cpSync(from, join(folder, target, isInto ? basename(source) : ''), { recursive: true });
  }
}
