import { findNodeProblem } from '@service-pay/contract/node-version';

// Imported before any library: an older Node would fail inside one.
const problem = findNodeProblem('The sandbox');
if (problem) throw new Error(problem);
