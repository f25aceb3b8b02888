import { startPostgres } from '../../../scripts/programs/postgres-server.ts';
import { OWN_POSTGRES_IS_MISSING } from '../../../scripts/test/test-postgres.ts';
import type { Figure, Scale } from '../support/figures.ts';
import type { DatabaseKind } from './database.ts';
import { measureImports } from './imports.ts';
import { measureMillion } from './million.ts';
import { measureOverload } from './overload.ts';
import { measureProcesses } from './processes.ts';
import { measureProgram } from './program.ts';
import { measureVerify } from './verify.ts';
import { measureWebhooks } from './webhooks.ts';

/** PostgreSQL keeps its data in memory here, so that no disk is measured. */
const MEMORY_FOLDER = '/dev/shm';

export const TEMPLATE_PARTS = {
  'template-verify': onBoth(measureVerify),
  'template-webhooks': onBoth(measureWebhooks),
  'template-million': onBoth(measureMillion),
  'template-imports': measureImports,
  'template-program': onBoth(measureProgram),
  'template-overload': onBoth(measureOverload),
  'template-processes': onBoth(measureProcesses),
};

/**
 * B20 to B28: the template as merchants run it, called over HTTP, before a service that responds
 * at once.
 */
export async function measureTemplate(scale: Scale): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const measure of Object.values(TEMPLATE_PARTS)) figures.push(...(await measure(scale)));
  return figures;
}

function onBoth(
  measure: (kind: DatabaseKind, scale: Scale) => Promise<Figure[]>,
): (scale: Scale) => Promise<Figure[]> {
  return async (scale) => {
    if (OWN_POSTGRES_IS_MISSING)
      console.warn(`Only SQLite is measured. ${OWN_POSTGRES_IS_MISSING}`);
    else process.env.TEST_POSTGRES_URL ??= (await startPostgres(MEMORY_FOLDER)).url;
    const figures: Figure[] = [];
    const kinds: DatabaseKind[] = process.env.TEST_POSTGRES_URL
      ? ['sqlite', 'postgres']
      : ['sqlite'];
    for (const kind of kinds) figures.push(...(await measure(kind, scale)));
    return figures;
  };
}
