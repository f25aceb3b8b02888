import { SCENARIOS, type Scenario } from '../../sandbox/src/faults/scenario-table.ts';

export function writeScenarios(): string {
  const rows = SCENARIOS.map(({ name, summary }) => `| [\`${name}\`](#${name}) | ${summary} |`);
  return `\n${['| scenario | what goes wrong |', '| --- | --- |', ...rows].join('\n')}\n\n${SCENARIOS.map(writeScenario).join('\n')}`;
}

function writeScenario(scenario: Scenario): string {
  const { name, summary, steps, shop } = scenario;
  return `## ${name}

${summary}

${steps.map((step, at) => `${at + 1}. ${step}`).join('\n')}

\`\`\`sh
${writeCalls(scenario).join('\n')}
\`\`\`

A correct shop ${shop.charAt(0).toLowerCase()}${shop.slice(1)}
`;
}

function writeCalls({ name, steps, isByPhone }: Scenario): string[] {
  const sandbox = 'http://localhost:4010/_sandbox';
  const [, seconds] = /Advance the clock by (\d+) s/.exec(steps.join(' ')) ?? [];
  const payment = `"reference": "${name}", "amount": "10.00"${isByPhone ? ', "phone": "0961111111"' : ''}`;
  return [
    `curl -X POST ${sandbox}/scenarios/${name}`,
    `curl --json '{ ${payment} }' ${sandbox}/pay`,
    ...(seconds ? [`curl --json '{ "seconds": ${seconds} }' ${sandbox}/clock/advance`] : []),
  ];
}
