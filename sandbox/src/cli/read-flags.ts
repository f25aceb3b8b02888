import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Reads flags, and throws one sentence about one that is unknown. */
export function readFlags<const Options extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') throw error;
    throw new Error(message.replace(/\. To specify.*/s, '.')); // advice for other programs
  }
}
