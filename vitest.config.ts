import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const ROOMS = [
  'contract',
  'server',
  'sandbox',
  'bff-example',
  'scripts',
  'e2e/engines',
  'e2e/faults',
  'e2e/shop-http',
  'e2e/model',
];

const FAULTS = 'e2e/faults/**/*.long.test.ts';

/** A folder starts no test that takes long: those are named, as a project or as a file. */
const areLongNamed = /\.long\b|--project[= ](?:long|faults)\b/.test(process.argv.join(' '));

const LONG: TestProjectInlineConfiguration[] = [
  {
    extends: true,
    test: { name: 'long', include: filesOf('*.long.test.ts'), exclude: [FAULTS] },
  },
  { extends: true, test: { name: 'faults', include: [FAULTS] } },
];

/** Lets programs that tests start over and over share their stripped and compiled sources. */
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL('node_modules/.cache/node', import.meta.url),
);

/** Begins with the quick starts, which take longest: the last ones would run alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) =>
      moduleId.includes('/quick-start') ? 0 : 1;
    return (await super.sort(files)).sort((a, b) => placeOf(a) - placeOf(b));
  }
}

/**
 * Runs every `*.test.ts` but those of `widget/src`, which need a browser. A `*.long.test.ts`
 * belongs to the project `faults` or `long`, which `npm run test:all` runs and `npm test` leaves
 * out, as a folder does.
 */
export default defineConfig({
  test: {
    globalSetup: 'scripts/test/test-postgres.ts',
    setupFiles: 'scripts/test/test-draws.ts',
    // most tests wait for a server, a timer or a disk
    maxWorkers: Math.max(4, availableParallelism()),
    sequence: { sequencer: LongestFirst },
    isolate: false, // importing the shop anew for each file would cost more than its tests
    testTimeout: 120_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'gate',
          include: filesOf('*.test.ts'),
          exclude: [...filesOf('*.long.test.ts'), '**/node_modules/**'],
        },
      },
      ...(areLongNamed ? LONG : []),
    ],
  },
});

function filesOf(pattern: string): string[] {
  return ROOMS.map((room) => `${room}/**/${pattern}`);
}
