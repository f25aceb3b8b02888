import { expect, test } from 'vitest';

import { findQuestions } from './comments.ts';

test.each([
  '/** What a page may send. */',
  '/**\n * Whether it is open.\n */',
  '/* where it is */',
  'call(); // which of the two',
  '// A sentence.\n\n// How many there are.',
])('%j opens with a question word', (source) => expect(findQuestions(source)).toHaveLength(1));

test.each([
  '/** The members a page may send. */',
  '/**\n * Returns true if it is open,\n * which it seldom is.\n */',
  '// A sentence that goes on\n// where this line begins.',
  '// However it ends.',
  "const text = 'What is it?';",
])('%j does not', (source) => expect(findQuestions(source)).toEqual([]));
