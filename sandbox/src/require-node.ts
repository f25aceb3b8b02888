import { findNodeProblem } from './node-version.ts';

// Imported before any library: an older Node would fail inside one.
const problem = findNodeProblem(process.versions.node);
if (problem) throw new Error(problem);
