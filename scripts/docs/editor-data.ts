import type { describeElement } from './element-docs.ts';

type Element = ReturnType<typeof describeElement>;

/** Returns the web-types that JetBrains editors read. */
export function toWebTypes(element: Element, version: string): object {
  const { tagName: name, description } = element;
  const { attributes = [], members = [], events, slots, cssParts = [], cssProperties } = element;
  const js = {
    properties: members.flatMap((member) =>
      member.kind === 'field'
        ? [{ name: member.name, description: member.description, type: member.type?.text }]
        : [],
    ),
    events: events?.map(pickText),
  };
  return {
    $schema: 'https://raw.githubusercontent.com/JetBrains/web-types/master/schema/web-types.json',
    name: '@service-pay/widget',
    version,
    'description-markup': 'markdown',
    contributions: {
      html: {
        elements: [
          {
            name,
            description,
            attributes: attributes.map(pickText),
            slots: slots?.map(pickText),
            js,
          },
        ],
      },
      css: {
        properties: cssProperties?.map(pickText),
        'pseudo-elements': cssParts.map((part) => ({
          name: `part(${part.name})`,
          description: part.description,
        })),
      },
    },
  };
}

/** Returns the custom data that VS Code reads for HTML. */
export function toVsCodeData({ tagName: name, description, attributes = [] }: Element): object {
  return { version: 1.1, tags: [{ name, description, attributes: attributes.map(pickText) }] };
}

function pickText({ name, description }: { name: string; description?: string | undefined }) {
  return { name, description };
}
