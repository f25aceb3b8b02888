import * as v from 'valibot';
import { expect, test } from 'vitest';
import { describeIssue } from './issue-text.ts';

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
  [{ amount: '1', canary: 'canary' }, 'is not a known member'],
])('says of %j that it %s', (input, words) => {
  const { issues = [] } = v.safeParse(schema, input);

  expect(issues.map(describeIssue)).toEqual([words]);
});
