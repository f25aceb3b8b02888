import type { JsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';

import type { ErrorCode } from '../envelope.ts';

export type Door = 'apiToken' | 'sessionToken' | 'browser' | 'anybody' | 'sandboxToken';

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
  readonly schema: v.GenericSchema | JsonSchema;
  readonly example: string | number;
}

export interface OperationResponse {
  readonly httpStatus: number;
  readonly description: string;
  readonly component: string;
  readonly examples: Readonly<Record<string, Example>>;
  readonly mediaType?: string;
}

export interface Rejection {
  readonly errorCode: ErrorCode;
  readonly when: string;
  readonly httpStatus?: number;
  readonly problems?: readonly { path: string; code: string; message: string }[];
}

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
  readonly responses: readonly OperationResponse[];
  readonly rejections: readonly Rejection[];
}
