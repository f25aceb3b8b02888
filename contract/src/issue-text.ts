import type * as v from 'valibot';

const KINDS: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  strict_object: 'an object',
  record: 'an object',
};

/**
 * Says what is wrong with a field, such as `must be a text`, without a dot at the end. Never repeats
 * the value: valibot's own messages do, and begin with "Invalid".
 */
export function describeIssue({ message, received, type, expected }: v.BaseIssue<unknown>): string {
  if (!message.startsWith('Invalid ')) return message.replace(/\.$/, '');
  if (expected === 'never') return 'is not a known member';
  if (received === 'undefined') return 'is missing';
  return `must be ${KINDS[type] ?? expected?.replace(/^\(|\)$/g, '').replaceAll(' | ', ' or ')}`;
}
