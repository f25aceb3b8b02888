import type { Component } from '@service-pay/contract/openapi';
import type * as v from 'valibot';

/** A schema with its name and its words in the OpenAPI description. */
export interface Described<Schema extends v.GenericSchema = v.GenericSchema> extends Component {
  readonly name: string;
  readonly schema: Schema;
}

/** Names and explains a schema. A field added to it does not compile without words. */
export function described<const Schema extends v.GenericSchema>(
  name: string,
  schema: Schema,
  description: string,
  members: { readonly [Member in keyof v.InferOutput<Schema>]-?: Component['members'][string] },
): Described<Schema> {
  return { name, schema, description, members: members as Component['members'] };
}
