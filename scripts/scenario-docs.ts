import { SCENARIOS, type Scenario } from '../sandbox/src/faults/scenario-table.ts';

/**
 * The scenarios as Markdown: a table of all, then each with what happens and what a correct shop
 * does.
 */
export function writeScenarios(): string {
  const rows = SCENARIOS.map(({ name, summary }) => `| [\`${name}\`](#${name}) | ${summary} |`);
  return `\n${['| scenario | what goes wrong |', '| --- | --- |', ...rows].join('\n')}\n\n${SCENARIOS.map(writeScenario).join('\n')}`;
}

function writeScenario({ name, summary, steps, shop }: Scenario): string {
  return `## ${name}

${summary}

${steps.map((step, at) => `${at + 1}. ${step}`).join('\n')}

A correct shop ${shop.charAt(0).toLowerCase()}${shop.slice(1)}
`;
}
