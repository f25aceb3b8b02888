import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from '../programs/run-tool.ts';

const DOCUMENT = 'docs/security.md';
const BLOCK = /<!-- directives -->\n+```\n([\s\S]+?)```/;

/** The service's origin in all examples of the documents. */
const EXAMPLE = 'https://pay.example';

/**
 * Reads the directives that `docs/security.md` documents, for a service at an origin. Tests and
 * demo pages send these, so the documented policy is the tested one.
 */
export function readDocumentedPolicy(service: string): Map<string, string> {
  const block = BLOCK.exec(readFileSync(join(ROOT, DOCUMENT), 'utf8'))?.[1];
  if (!block) throw new Error(`${DOCUMENT} has no block of directives.`);
  const directives = block.replaceAll(EXAMPLE, service).split(';');
  return new Map(
    directives.map((directive) => directive.trim().split(/ (.*)/, 2) as [string, string]),
  );
}
