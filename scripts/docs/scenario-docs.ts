import { SCENARIOS, type Scenario } from '@service-pay/sandbox/documented';

/** Returns every scenario as a table. Each row has an anchor of its scenario's name. */
export function writeScenarios(): string {
  const rows = SCENARIOS.map(
    (scenario) =>
      `| <a id="${scenario.name}"></a>\`${scenario.name}\` | ${scenario.summary} | ${writeSteps(scenario)} | ${scenario.shop} |`,
  );
  const heads =
    '| scenario | what happens | your steps | a correct shop |\n| --- | --- | --- | --- |';
  return `\n${[heads, ...rows].join('\n')}\n\n`;
}

function writeSteps({ steps, isByPhone, attempts = [], beforeWaiting }: Scenario): string {
  const [, seconds] = /Advance the clock by (\d+) s/.exec(steps.join(' ')) ?? [];
  return [
    `pay${isByPhone ? ' by phone' : ''}${attempts.length > 1 ? ` ${attempts.length} times` : ''}`,
    ...(beforeWaiting ? [beforeWaiting] : []),
    ...(seconds ? [`advance ${seconds} s`] : []),
  ].join(', ');
}
