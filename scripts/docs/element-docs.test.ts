import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { events, ServicePayElement } from '@service-pay/widget/documented';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { describeElement, toManifest } from './element-docs.ts';

const LIFE_CYCLE =
  /^(?:constructor|createRenderRoot|updated|connectedCallback|disconnectedCallback)$/;

const TYPES = Object.fromEntries(
  Object.entries(events).map(([name, Event]) => [name, new Event({} as never).type]),
);

const SURFACE = {
  attributes: ServicePayElement.observedAttributes,
  members: Object.getOwnPropertyNames(ServicePayElement.prototype).filter(
    (name) => !LIFE_CYCLE.test(name),
  ),
  events: Object.values(TYPES),
  cssParts: ['button', 'dialog', 'backdrop', 'close'],
  cssProperties: ['--service-pay-accent', '--service-pay-radius', '--service-pay-font'],
  slots: [''],
};

const element = describeElement();

describe("the element's documents", () => {
  test.each(Object.keys(SURFACE) as (keyof typeof SURFACE)[])(
    "the element's documents name all its %s, and no other",
    (kind) => {
      const entries = element[kind] ?? [];

      expect(entries.map(({ name }) => name).sort()).toEqual([...SURFACE[kind]].sort());
      expect(entries.filter(({ description }) => !description)).toEqual([]);
    },
  );

  test("the element's documents say of each event which class it is", () => {
    const types = (element.events ?? []).map(({ name, type }) => [type.text, name]);

    expect(Object.fromEntries(types)).toEqual(TYPES);
  });

  test("the element's documents are a custom elements manifest by its schema", () => {
    const schema = createRequire(import.meta.url).resolve('custom-elements-manifest/schema.json');
    const ajv = new Ajv({ strict: false });

    ajv.validate(JSON.parse(readFileSync(schema, 'utf8')), toManifest(element));

    expect(ajv.errors).toBeNull();
  });
});
