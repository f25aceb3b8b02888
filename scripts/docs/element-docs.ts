import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { create, ts } from '@custom-elements-manifest/analyzer/index.js';
import { litPlugin } from '@custom-elements-manifest/analyzer/src/features/framework-plugins/lit/lit.js';
import type {
  ClassDeclaration,
  ClassField,
  ClassMember,
  CustomElement,
  Package,
} from 'custom-elements-manifest/schema.js';
import { withoutNumbers } from '../packages/private-numbers.ts';
import { ROOT } from '../programs/run-tool.ts';

const INDEX = 'dist/npm/index.js';
const DEFINE = 'dist/npm/define.js';

type ElementClass = ClassDeclaration & CustomElement;

interface Field extends ClassField {
  type: { text: string };
  description: string;
  attribute?: string;
}

const SOURCE = 'widget/src/inline/service-pay.ts';
const PAGE = { name: 'HTMLElement', package: 'global:' };

/**
 * Describes the public surface of `<service-pay>` by the doc comments of its class. A member
 * without one is private.
 */
export function describeElement(): ElementClass {
  const text = readFileSync(join(ROOT, SOURCE), 'utf8');
  const source = ts.createSourceFile(SOURCE, text, ts.ScriptTarget.ES2022, true);
  const { modules } = create({ modules: [source], plugins: litPlugin() });
  const found = modules
    .flatMap(({ declarations = [] }) => declarations)
    .find((declaration): declaration is ElementClass => 'tagName' in declaration)!;
  const { name, tagName, members = [] } = found;
  const { description, attributes, slots, events, cssParts, cssProperties } = found;
  const shown = members
    .filter((member) => member.description && member.privacy !== 'private')
    .map((member) => ({ ...member, privacy: undefined }));
  const element = {
    ...{ kind: 'class', customElement: true, name, tagName, description, superclass: PAGE },
    ...{ attributes, members: shown, slots, events, cssParts, cssProperties },
  };
  return JSON.parse(JSON.stringify(element), (_, value) =>
    typeof value === 'string' ? toText(value) : value,
  );
}

/** Describes the popup that `getPaid` opens at the end of the body. Pages only style its parts. */
function describePopup({ cssParts = [] }: ElementClass): ElementClass {
  const source = readFileSync(join(ROOT, 'widget/src/inline/popup/payment-popup.ts'), 'utf8');
  return {
    kind: 'class',
    customElement: true,
    name: 'PaymentPopup',
    tagName: /^const TAG = '(.+)';$/m.exec(source)?.[1] as string,
    description: 'The popup that `getPaid` opens, at the end of the body.',
    superclass: PAGE,
    cssParts: cssParts.filter(({ name }) => name !== 'button'),
  };
}

/**
 * Returns the manifest that editors and documentation tools read, with the paths of the installed
 * package.
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
        declarations: [element, describePopup(element)],
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

export function toTables({
  members = [],
  events = [],
  cssParts = [],
  cssProperties = [],
}: ElementClass): string {
  const tables = [
    toTable(
      ['attribute', 'property', 'type', 'meaning'],
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
      ['part', 'meaning'],
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
  return text.replaceAll('|', '\\|');
}

function code(text: string | undefined): string {
  return text ? `\`${text.replace(/^\((.+)\) \| undefined$|^(.+) \| undefined$/, '$1$2')}\`` : '';
}

function isField(member: ClassMember): member is Field {
  return member.kind === 'field';
}

function toText(doc: string): string {
  return withoutNumbers(doc).replace(/\s+/g, ' ').trim();
}
