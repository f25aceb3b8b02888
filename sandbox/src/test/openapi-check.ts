import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Method = 'get' | 'post' | 'put' | 'delete';

export interface DescribedCall {
  readonly method: Method;
  readonly path: string;
  readonly operation: any;
}

interface Reader {
  readonly ajv: Ajv2020;
  readonly known: Map<string, ValidateFunction>;
}

export class TestDescription {
  readonly document: any;
  readonly #open: Reader;
  readonly #closed: Reader;

  constructor(document: any) {
    this.document = document;
    this.#open = readerOf(document.components.schemas);
    // Validators ignore unknown keywords; here a field without a description is a problem.
    this.#closed = readerOf(closed(document.components.schemas));
  }

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

  problemsOf(schema: object, value: unknown): string {
    return problemsBy(this.#open, schema, value);
  }

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
