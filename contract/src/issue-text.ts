import * as v from 'valibot';

const MOST_NAMED = 10;

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
 * Describes the problem with a field, such as `must be a text`, without a dot at the end. Never
 * repeats the value, unlike valibot's own messages, which begin with "Invalid".
 */
export function describeIssue({ message, received, type, expected }: v.BaseIssue<unknown>): string {
  if (!message.startsWith('Invalid ')) return message.replace(/\.$/, '');
  if (expected === 'never') return 'is not a known field';
  if (received === 'undefined') return 'is missing';
  return `must be ${KINDS[type] ?? expected?.replace(/^\(|\)$/g, '').replaceAll(' | ', ' or ')}`;
}

/**
 * Describes how `what` breaks its schema, such as `The response to GET /x (HTTP 200) is not as
 * specified: data.amount must be a text.` Never repeats a value.
 */
export function describeMismatch(what: string, issues: readonly v.BaseIssue<unknown>[]): string {
  const named = issues.slice(0, MOST_NAMED).map((issue) => {
    const field = v.getDotPath(issue);
    return field === null ? 'the body must be a JSON object' : `${field} ${describeIssue(issue)}`;
  });
  const more = issues.length - named.length;
  if (more) named.push(`and ${more} more`);
  return `${what} is not as specified: ${named.join('; ')}.`;
}
