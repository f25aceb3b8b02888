import { type ParseArgsConfig, parseArgs } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<Flags extends Options> = ReturnType<typeof parseArgs<{ options: Flags }>>['values'];

/**
 * Reads flags. Returns a sentence about each that is unknown, repeated or without its value, and
 * about words without a flag; `example` is a right one. Such a flag keeps its default.
 */
export function readFlags<const Flags extends Options>(
  args: readonly string[],
  options: Flags,
  example: string,
): { values: Values<Flags>; problems: string[] } {
  const problems: string[] = [];
  const { values, tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const seen = new Set<string>();
  // The word after an unknown flag, or after a flag read as a value, is that flag's value.
  let isExcused = false;
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    const wasExcused = isExcused;
    isExcused =
      token.kind === 'option' &&
      token.inlineValue !== true &&
      (!Object.hasOwn(options, token.name) || isFlag(token));
    if (token.kind === 'positional') {
      const onlyFlags = `Use flags only, such as ${example}.`;
      if (!wasExcused && !problems.includes(onlyFlags)) problems.push(onlyFlags);
      continue;
    }
    const { name, rawName, value } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    const isSwitch = option?.type === 'boolean';
    if (!option) problems.push(`${rawName.slice(0, 40)} is not a flag.`);
    else if (seen.has(name) && !option.multiple) problems.push(`${rawName} appears twice.`);
    else if (isSwitch ? value !== undefined : !value || isFlag(token)) {
      problems.push(`${rawName} ${isSwitch ? 'takes no value' : 'needs a value'}.`);
      values[name as keyof typeof values] = option.default as never;
    }
    seen.add(name);
  }
  return { values: values as Values<Flags>, problems };
}

/** Node's parser would take `--port` in `--host --port 1` for the host. */
function isFlag({
  value,
  inlineValue,
}: {
  value?: string | undefined;
  inlineValue?: boolean | undefined;
}): boolean {
  return !inlineValue && value?.startsWith('--') === true;
}
