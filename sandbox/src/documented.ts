/** The parts of the sandbox that documents and the OpenAPI files are made from. Not packed. */

export { CONTROL_COMPONENTS, CONTROL_OPERATIONS } from './api/openapi/control.ts';
export { CALLS, type Call } from './control/calls.ts';
export { SCENARIOS, type Scenario } from './faults/scenario-table.ts';
