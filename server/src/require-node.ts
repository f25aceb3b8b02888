import { findNodeProblem } from '@service-pay/contract/node-version';

// Imported before any library, because an older Node would fail inside one.
const problem = findNodeProblem('@service-pay/server');
if (problem) throw new Error(problem);
