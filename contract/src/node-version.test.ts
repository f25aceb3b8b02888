import { expect, test } from 'vitest';
import { findNodeProblem } from './node-version.ts';

test.each([
  ['20.20.2', false],
  ['22.18.9', false],
  ['22.19.0', true],
  ['24.0.0', true],
])('Node %s is new enough: %s', (version, isEnough) => {
  expect(findNodeProblem('The package', version) === undefined).toBe(isEnough);
});
