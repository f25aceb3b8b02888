import type { JsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';

import type { ErrorCode } from './envelope.ts';

/** Who may call an operation. */
export type Door = 'apiToken' | 'sessionToken' | 'anybody' | 'sandboxToken';

/** An example with the sentence that says what it shows. */
export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

/** One parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
  readonly schema: v.GenericSchema | JsonSchema;
  readonly example: string | number;
}

/** What an operation answers when it worked. */
export interface Answer {
  readonly httpStatus: number;
  readonly description: string;
  /** The component of its body. */
  readonly component: string;
  readonly examples: Readonly<Record<string, Example>>;
  /** JSON where nothing is said. */
  readonly mediaType?: string;
}

/**
 * One way to be refused: the code, when that happens, and the HTTP status where it is not the
 * code's own (D38).
 */
export interface Refusal {
  readonly errorCode: ErrorCode;
  readonly when: string;
  readonly httpStatus?: number;
  readonly problems?: readonly { path: string; code: string; message: string }[];
}

/** One call that can be made, in the words the description is made of. */
export interface Operation {
  readonly operationId: string;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly door: Door;
  readonly parameters?: readonly Parameter[];
  readonly request?: {
    readonly component: string;
    readonly isRequired: boolean;
    readonly examples: Readonly<Record<string, Example>>;
  };
  readonly answers: readonly Answer[];
  readonly refusals: readonly Refusal[];
}
