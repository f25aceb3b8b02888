import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from '../programs/run-tool.ts';

const DOCUMENT = 'docs/security.md';
const BLOCK = /<!-- directives -->\n+```\n([\s\S]+?)```/;

/** Where the service is in all examples of the documents. */
const EXAMPLE = 'https://pay.example';

/**
 * The directives that `docs/security.md` says a page needs, for a service at an origin: by name,
 * with the sources of each. Whoever sends a policy takes them from there, so that what is
 * documented is what was tried.
 */
export function readDocumentedPolicy(service: string): Map<string, string> {
  const block = BLOCK.exec(readFileSync(join(ROOT, DOCUMENT), 'utf8'))?.[1];
  if (!block) throw new Error(`${DOCUMENT} has no block of directives.`);
  const directives = block.replaceAll(EXAMPLE, service).split(';');
  return new Map(
    directives.map((directive) => directive.trim().split(/ (.*)/, 2) as [string, string]),
  );
}
