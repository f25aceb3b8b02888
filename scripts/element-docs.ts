import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as analyzer from '@custom-elements-manifest/analyzer';
import type {
  ClassDeclaration,
  ClassField,
  ClassMember,
  CustomElement,
  Package,
} from 'custom-elements-manifest/schema.js';

import { ROOT } from './run-tool.ts';

/** Modules of the package, as they are installed. */
const INDEX = 'dist/npm/index.js';
const DEFINE = 'dist/npm/define.js';

/** A class of the manifest that is an element. */
type ElementClass = ClassDeclaration & CustomElement;

/** The part of the analyzer we use: its own types leave it out. */
interface Analyzer {
  create(options: { modules: unknown[] }): Package;
  ts: {
    createSourceFile(name: string, text: string, target: number, setParents: boolean): unknown;
    ScriptTarget: { Latest: number };
  };
}
const { create, ts } = analyzer as unknown as Analyzer;

/**
 * What `<service-pay>` has for a page, by the doc tags of its class: what has no words there is
 * nobody's business.
 */
export function describeElement(): ElementClass {
  const fileName = join(ROOT, 'widget/src/inline/service-pay.ts');
  const source = ts.createSourceFile(
    fileName,
    readFileSync(fileName, 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const found = create({ modules: [source] });
  const element = found.modules.flatMap(({ declarations = [] }) => declarations).find(isElement);
  if (!element) throw new Error(`${fileName} has no class with an @tag.`);
  return {
    ...element,
    superclass: { name: 'HTMLElement', package: 'global:' },
    members: element.members?.filter(isForPages) ?? [],
    events: element.events?.filter(isForPages) ?? [],
  };
}

/**
 * The manifest that editors and documentation tools read, with the paths of the installed package.
 */
export function toManifest(element: ElementClass): Package {
  const declaration = { name: element.name, module: INDEX };
  return {
    schemaVersion: '1.0.0',
    readme: 'README.md',
    modules: [
      {
        kind: 'javascript-module',
        path: INDEX,
        declarations: [element],
        exports: [{ kind: 'js', name: element.name, declaration }],
      },
      {
        kind: 'javascript-module',
        path: DEFINE,
        exports: [
          { kind: 'custom-element-definition', name: element.tagName as string, declaration },
        ],
      },
    ],
  };
}

/** The element as tables of Markdown. */
export function toTables({
  members = [],
  events = [],
  cssParts = [],
  cssProperties = [],
}: ElementClass): string {
  const tables = [
    toTable(
      ['attribute', 'property', 'type', 'what it says'],
      members
        .filter(isField)
        .map(({ attribute, name, type, description }) => [
          code(attribute),
          code(name),
          code(type?.text),
          description,
        ]),
    ),
    toTable(
      ['method', 'what it does'],
      members
        .filter((member) => !isField(member))
        .map(({ name, description }) => [code(`${name}()`), description]),
    ),
    toTable(
      ['event', 'class', 'when'],
      events.map(({ name, type, description }) => [code(name), code(type.text), description]),
    ),
    toTable(
      ['part', 'what it is'],
      cssParts.map(({ name, description }) => [code(name), description]),
    ),
    toTable(
      ['custom property', 'default', 'what it sets'],
      cssProperties.map(({ name, default: value, description }) => [
        code(name),
        code(value),
        description,
      ]),
    ),
  ];
  return `\n${tables.join('\n')}\n`;
}

function toTable(heads: string[], rows: (string | undefined)[][]): string {
  return [heads, heads.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map(toCell).join(' | ')} |\n`)
    .join('');
}

function toCell(text = ''): string {
  return text.replaceAll('\n', ' ').replaceAll('|', '\\|');
}

function code(text: string | undefined): string {
  return text ? `\`${text.replace(/^\((.+)\) \| undefined$|^(.+) \| undefined$/, '$1$2')}\`` : '';
}

function isElement(declaration: object): declaration is ElementClass {
  return 'customElement' in declaration;
}

function isField(member: ClassMember): member is ClassField & { attribute?: string } {
  return member.kind === 'field';
}

function isForPages({ name, description }: { name: string; description?: string }): boolean {
  return Boolean(description) && !name.startsWith('#');
}
