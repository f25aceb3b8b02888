import type { Request, Response, Router } from 'express';
import * as v from 'valibot';
import { CALLS, type Call, type CallName } from '../control/calls.ts';
import type { Described } from '../control/described.ts';
import { nothingSchema } from '../http/json-body.ts';
import { parseInput } from '../http/responses.ts';

type BodyOf<Name extends CallName> = (typeof CALLS)[Name] extends {
  body: Described<infer Schema>;
}
  ? v.InferOutput<Schema>
  : undefined;

export interface ControlRequest<Body> {
  readonly body: Body;
  readonly params: Readonly<Record<string, string>>;
  readonly req: Request;
  readonly res: Response;
}

/** Adds the route of a control call. */
export function addControlRoute<Name extends CallName>(
  router: Router,
  name: Name,
  run: (request: ControlRequest<BodyOf<Name>>) => void | Promise<void>,
): void {
  const { route, body, isBodyOptional }: Call = CALLS[name];
  const [method, path] = route.split(' ') as ['GET' | 'POST' | 'PUT' | 'DELETE', string];
  const schema = !body ? nothingSchema : isBodyOptional ? v.optional(body.schema, {}) : body.schema;
  const verb = method.toLowerCase() as 'get' | 'post' | 'put' | 'delete';
  router[verb](path, (req, res) => {
    const input = method === 'GET' ? undefined : parseInput(schema, req.body);
    return run({
      body: input as BodyOf<Name>,
      params: req.params as Record<string, string>,
      req: req as Request,
      res,
    });
  });
}
