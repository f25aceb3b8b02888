import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServicePayElement } from '@service-pay/widget/documented';
import type {
  ClassDeclaration,
  ClassField,
  ClassMember,
  ClassMethod,
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

type Match = [all: string, ...groups: [string, string, string, string]];

const DOC = String.raw`((?:(?!\*/)[^])*)`;
const CLASS = new RegExp(`/\\*\\*${DOC}@tag (\\S+)${DOC}\\*/\\nexport class (\\w+)`, 'g');
const MEMBER = new RegExp(
  `/\\*\\*${DOC}\\*/\\s+(declare )?(\\w+)(?:\\(.*\\))?: (.+)(?:;| \\{)$`,
  'gm',
);

/**
 * Describes the public surface of `<service-pay>` by the doc comments of its class. A member
 * without one is private.
 */
export function describeElement(): ElementClass {
  const source = readFileSync(join(ROOT, 'widget/src/inline/service-pay.ts'), 'utf8');
  const all = (pattern: RegExp) => [...source.matchAll(pattern)] as unknown as Match[];
  const [[, doc, tagName, , name]] = all(CLASS) as [Match];
  const members = all(MEMBER).map(([, doc, declare, name, text]): Field | ClassMethod => {
    const described = { name, description: toText(doc) };
    if (!declare) return { kind: 'method', ...described, return: { type: { text } } };
    const attribute = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const isObserved = ServicePayElement.observedAttributes.includes(attribute);
    return { kind: 'field', ...described, type: { text }, ...(isObserved && { attribute }) };
  });
  return {
    kind: 'class',
    customElement: true,
    name,
    tagName,
    description: toText(doc),
    superclass: { name: 'HTMLElement', package: 'global:' },
    attributes: members
      .filter(isField)
      .flatMap(({ attribute, name, type, description }) =>
        attribute ? [{ name: attribute, fieldName: name, type, description }] : [],
      ),
    members,
    slots: all(/@slot (\S*) ?- (.+)/g).map(([, name, description]) => ({ name, description })),
    events: all(/@fires \{(\w+)\} (\S+) - (.+)/g).map(([, text, name, description]) => ({
      name,
      type: { text },
      description,
    })),
    cssParts: all(/@csspart (\S+) - (.+)/g).map(([, name, description]) => ({ name, description })),
    cssProperties: all(/@cssprop \[(\S+)=(.+)\] - (.+)/g).map(([, name, value, description]) => ({
      name,
      default: value,
      description,
    })),
  };
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
    superclass: { name: 'HTMLElement', package: 'global:' },
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
  return withoutNumbers(doc)
    .replace(/^\s*\*/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
}
