import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type RequestHandler, Router } from 'express';

/** Serves `/openapi.json`, built on the first request because most runs never need it. */
export function buildOpenApiRoute(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  let made: ReturnType<typeof makeDescription> | undefined;
  const send: RequestHandler = async (_req, res) => {
    made ??= makeDescription();
    const { bytes, tag } = await made;
    res.setHeader('Cache-Control', 'no-cache');
    res.setHeader('ETag', tag);
    res.type('application/json').send(bytes);
  };
  router.get('/openapi.json', send);
  return router;
}

async function makeDescription(): Promise<{ bytes: Buffer; tag: string }> {
  const [
    { buildOpenApi },
    { CONTROL_OPERATIONS: operations, CONTROL_COMPONENTS: components },
    { version },
  ] = await Promise.all([
    import('@service-pay/contract/openapi'),
    import('./control-operations.ts'),
    readPackage(),
  ]);
  const bytes = Buffer.from(
    `${JSON.stringify(buildOpenApi({ version, operations, components }), null, 2)}\n`,
  );
  return { bytes, tag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
}

async function readPackage(): Promise<{ version: string }> {
  return JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
}
