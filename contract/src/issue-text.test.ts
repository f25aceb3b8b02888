import * as v from 'valibot';
import { expect, test } from 'vitest';
import { describeIssue, describeMismatch } from './issue-text.ts';

const schema = v.strictObject({
  amount: v.string(),
  count: v.optional(v.number()),
  items: v.optional(v.array(v.string())),
  mode: v.optional(v.picklist(['real', 'virtual'])),
  name: v.optional(v.pipe(v.string(), v.maxLength(3, 'must be short.'))),
});

test.each<[unknown, string]>([
  [{}, 'is missing'],
  [undefined, 'is missing'],
  ['canary', 'must be an object'],
  [{ amount: 4242 }, 'must be a text'],
  [{ amount: '1', count: 'canary' }, 'must be a number'],
  [{ amount: '1', items: {} }, 'must be a list'],
  [{ amount: '1', mode: 'canary' }, 'must be "real" or "virtual"'],
  [{ amount: '1', name: 'canary' }, 'must be short'],
  [{ amount: '1', canary: 'canary' }, 'is not a known field'],
])('the text about a wrong value says of %j that it %s', (input, words) => {
  const { issues = [] } = v.safeParse(schema, input);

  expect(issues.map(describeIssue)).toEqual([words]);
});

test.each<[string, unknown, string]>([
  ['no JSON', undefined, 'the body must be a JSON object'],
  ['a text', 'canary', 'the body must be a JSON object'],
  ['a wrong field', { amount: 4242 }, 'amount must be a text'],
  [
    'wrong fields',
    { items: ['a', 4242], mode: 'canary' },
    'amount is missing; items.1 must be a text; mode must be "real" or "virtual"',
  ],
])('the text about a response says what is wrong with %s (T137)', (_what, body, words) => {
  const { issues = [] } = v.safeParse(schema, body);

  expect(describeMismatch('The response', issues)).toBe(
    `The response is not as specified: ${words}.`,
  );
});

test('the text about a response names at most ten wrong fields', () => {
  const { issues = [] } = v.safeParse(v.array(v.string()), Array(12).fill(7));

  expect(describeMismatch('The response', issues)).toContain('9 must be a text; and 2 more.');
});
