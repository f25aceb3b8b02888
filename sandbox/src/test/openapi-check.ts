import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Method = 'get' | 'post' | 'put' | 'delete';

/** One operation of a description, under its path. */
export interface DescribedCall {
  readonly method: Method;
  readonly path: string;
  readonly operation: any;
}

/** A reader of schemas, which is slow to learn one. */
interface Reader {
  readonly ajv: Ajv2020;
  readonly known: Map<string, ValidateFunction>;
}

/** A description of the APIs as a strict reader of JSON Schema takes it. */
export class TestDescription {
  readonly document: any;
  readonly #open: Reader;
  readonly #closed: Reader;

  constructor(document: any) {
    this.document = document;
    this.#open = readerOf(document.components.schemas);
    // A reader passes over members it does not know; here each one without words is a mistake.
    this.#closed = readerOf(closed(document.components.schemas));
  }

  /** Every call; those that the service makes as `webhooks`. */
  calls(part: 'paths' | 'webhooks' = 'paths'): DescribedCall[] {
    return Object.entries<any>(this.document[part]).flatMap(([path, item]) =>
      Object.entries<any>(item).map(([method, operation]) => ({
        method: method as Method,
        path,
        operation: { ...operation, responses: this.#whole(operation.responses) },
      })),
    );
  }

  responseOf(method: Method, path: string, status: number): any {
    return this.#whole(this.document.paths[path]?.[method]?.responses ?? {})[status];
  }

  /** Responses with those that calls share in their places. */
  #whole(responses: object): any {
    return Object.fromEntries(
      Object.entries<any>(responses).map(([status, response]) => [
        status,
        response.$ref
          ? this.document.components.responses[response.$ref.split('/').at(-1)]
          : response,
      ]),
    );
  }

  /** What is wrong with a value by a schema; nothing where it fits. */
  problemsOf(schema: object, value: unknown): string {
    return problemsBy(this.#open, schema, value);
  }

  /** The same where a member without words is wrong too. */
  strictProblemsOf(schema: object, value: unknown): string {
    return problemsBy(this.#closed, schema, value);
  }
}

function readerOf(schemas: object): Reader {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  addFormats.default(ajv);
  for (const keyword of ['components', 'discriminator']) ajv.addKeyword(keyword);
  ajv.addSchema({ $id: 'openapi', components: { schemas } }, 'openapi');
  return { ajv, known: new Map() };
}

function problemsBy({ ajv, known }: Reader, schema: object, value: unknown): string {
  const text = JSON.stringify(schema).replaceAll('"#/', '"openapi#/');
  const fits = known.get(text) ?? ajv.compile(JSON.parse(text));
  known.set(text, fits);
  return fits(value) ? '' : ajv.errorsText(fits.errors);
}

function closed(schema: any): any {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, closed(value)]),
  );
  return members['properties'] && members['type'] && members['additionalProperties'] === undefined
    ? { ...members, additionalProperties: false }
    : members;
}
