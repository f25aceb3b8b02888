import { findNodeProblem } from '@service-pay/contract/node-version';

// Imported before any library, because an older Node would fail inside one.
const problem = findNodeProblem('The sandbox');
if (problem) throw new Error(problem);
