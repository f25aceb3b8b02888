import { expect, test } from 'vitest';

import { readScenarios, writeScenarios } from './scenario-docs.ts';

test('docs/scenarios.md is what the table of scenarios says', () => {
  expect(readScenarios(), 'Write it anew: node scripts/scenario-docs.ts').toBe(writeScenarios());
});
