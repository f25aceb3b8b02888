import * as v from 'valibot';

export const scenarioSchema = v.object({
  name: v.string(),
  summary: v.string(),
  steps: v.array(v.string()),
  shop: v.string(),
});
export const armedSchema = v.object({
  armed: v.nullable(v.string()),
  armedFor: v.nullable(v.string()),
});

export const scenarioListSchema = v.object({
  scenarios: v.array(scenarioSchema),
  ...armedSchema.entries,
});
export type ScenarioList = v.InferOutput<typeof scenarioListSchema>;
