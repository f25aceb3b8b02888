/** The parts of the sandbox that documents and the OpenAPI files are made from. Not packed. */

export { CALLS, type Call } from '../control/calls.ts';
export { FAULT_KINDS } from '../faults/fault-settings.ts';
export { SCENARIOS, type Scenario } from '../faults/scenario-table.ts';
export { CONTROL_COMPONENTS, CONTROL_OPERATIONS } from '../routes/openapi/control-operations.ts';
export { OPERATORS } from '../test-numbers/phones.ts';
