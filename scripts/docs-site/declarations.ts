import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { withoutNumbers } from '../packages/private-numbers.ts';
import { ROOT } from '../programs/run-tool.ts';

// Reads declarations and their comments from the source, for the reference. TypeScript's own parser
// has no API for programs in the version we use.

export interface Member {
  readonly name: string;
  readonly isOptional: boolean;
  readonly isOfClass: boolean;
  readonly type: string;
  readonly doc: string;
}

/** Reads the members of an interface or a class, with those that an interface inherits. */
export function readMembers(folder: string, name: string): Member[] {
  const pattern = new RegExp(`export (interface|class) ${name}\\b([^{]*)\\{\\n([^]*?)\\n\\}`);
  const [, kind, heading = '', body = ''] = find(folder, pattern, name);
  const isOfClass = kind === 'class';
  const start =
    /^ {2}(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s+)?(?:(?:declare|readonly|override|async|get) |\*)*(\w+|\[Symbol\.\w+\])(\?)?(?=[:(<])/gm;
  const own = [...body.matchAll(start)].map((match) => {
    const [whole, doc = '', name = '', optional] = match;
    const text = readDeclaration(body, match.index + whole.length);
    const isCall = /^[(<]/.test(text);
    const type = text
      .replace(/^: /, '')
      .replace(isCall ? / = \{\}/g : / =[\s\S]*$/, '')
      .replace(optional ? / \| undefined$/ : '', '');
    return {
      name: isCall ? `${name}()` : name,
      isOptional: optional !== undefined,
      isOfClass,
      type: onOneLine(type),
      doc: toText(doc),
    };
  });
  return isOfClass ? own : [...inheritedMembers(folder, heading), ...own];
}

/** Reads an exported function's signature and its comment. */
export function functionOf(folder: string, name: string): { signature: string; doc: string } {
  const pattern = new RegExp(
    `/\\*\\*((?:(?!\\*/)[^])*)\\*/\\s+export (?:async )?function \\*?(?=${name}\\b)`,
  );
  const { 0: whole, 1: doc = '', index, input } = find(folder, pattern, `function ${name}`);
  return { signature: readDeclaration(input, index + whole.length), doc: toText(doc) };
}

export function docOf(folder: string, name: string): string {
  const pattern = new RegExp(`/\\*\\*((?:(?!\\*/)[^])*)\\*/\\s+export \\w+ ${name}\\b`);
  return toText(find(folder, pattern, name)[1] ?? '');
}

/** Follows `extends Base<…>` and `extends Omit<Base<…>, 'a' | 'b'>`. */
function inheritedMembers(folder: string, heading: string): Member[] {
  const [, base] = /\bextends\s+(?:Omit<)?(\w+)/.exec(heading) ?? [];
  if (!base) return [];
  const [, omitted = ''] = /\bextends\s+Omit<[^']*('[^>]*)>/.exec(heading) ?? [];
  return readMembers(folder, base).filter(({ name }) => !omitted.includes(`'${name}'`));
}

/** Reads from a name to the end of its declaration: a semicolon, or the body of a function. */
function readDeclaration(source: string, from: number): string {
  let depth = 0;
  for (let at = from; at < source.length; at++) {
    const char = source.charAt(at);
    const text = source.slice(from, at).trimEnd();
    if (depth === 0 && char === ';') return text;
    if (depth === 0 && char === '{' && !/(?:[:|&<,]|=>)$/.test(text)) return text;
    if ('([{'.includes(char)) depth++;
    if (')]}'.includes(char)) depth--;
  }
  throw new Error(`A declaration does not end: ${source.slice(from, from + 80)}`);
}

function find(folder: string, pattern: RegExp, name: string): RegExpExecArray {
  const files = globSync(`${folder}/**/*.ts`, { cwd: ROOT }).filter(
    (file) => !file.endsWith('.test.ts'),
  );
  for (const file of files.sort()) {
    const found = pattern.exec(readFileSync(join(ROOT, file), 'utf8'));
    if (found) return found;
  }
  throw new Error(
    `${folder} has no ${name} with a doc comment: see scripts/docs-site/reference.ts.`,
  );
}

function onOneLine(type: string): string {
  return type
    .replace(/\s+/g, ' ')
    .replace(/([(<]) /g, '$1')
    .replace(/,? ([)>])/g, (whole, end: string) => (whole === ' >' ? whole : end))
    .trim();
}

/** A doc comment as one paragraph. */
function toText(doc: string): string {
  const lines = doc.split('\n').map((line) => line.replace(/^\s*\*? ?/, ''));
  return withoutNumbers(lines.join(' ').replace(/\s+/g, ' ').trim());
}
