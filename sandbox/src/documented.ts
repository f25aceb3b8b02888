/** The parts of the sandbox that documents and the OpenAPI files are made from. Not packed. */

export { CONTROL_OPERATIONS } from './api/openapi/control.ts';
export { CONTROL_COMPONENTS } from './api/openapi/control-components.ts';
export { SCENARIOS, type Scenario } from './faults/scenario-table.ts';
