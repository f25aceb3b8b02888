import { SCENARIOS, type Scenario } from '@service-pay/sandbox/documented';

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

function writeCalls({ name, steps, isByPhone, attempts = [] }: Scenario): string[] {
  const sandbox = 'http://localhost:4010/_sandbox';
  const [, seconds] = /Advance the clock by (\d+) s/.exec(steps.join(' ')) ?? [];
  const phone = isByPhone ? ', "phone": "0961111111"' : '';
  const payment = `"reference": "<reference of your order>", "amount": "<amount>"${phone}`;
  const pay = post(`{ ${payment} }`, `${sandbox}/pay`);
  const numbers = attempts.map((_, at) => at + 1);
  return [
    `curl -X POST ${sandbox}/scenarios/${name}`,
    numbers.length > 1 ? `for attempt in ${numbers.join(' ')}; do ${pay}; done` : pay,
    ...(seconds ? [post(`{ "seconds": ${seconds} }`, `${sandbox}/clock/advance`)] : []),
  ];
}

/** Spells out the header: `curl --json` needs curl 7.82. */
function post(body: string, url: string): string {
  return `curl -H 'content-type: application/json' -d '${body}' ${url}`;
}
