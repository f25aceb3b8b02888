import { buildOpenApi } from '@service-pay/contract/openapi';

/** Errors that the page lists once for all calls. */
const OF_EVERY_CALL = ['401·13', '413·01', '415·01', '429·10', '500·10', '503·10'];

interface Description {
  paths: Record<string, Record<string, Call>>;
}

interface Call {
  tags: string[];
  summary: string;
  responses: Record<string, { 'x-error-codes'?: string[] }>;
}

/** Returns the merchant's calls and their errors as a table. */
export function writeCalls(): string {
  const { paths } = buildOpenApi({ version: '0' }) as unknown as Description;
  const calls = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, call]) => ({ method, path, ...call })),
  );
  const rows = calls.filter(({ tags: [tag] }) => tag === 'merchant').map(writeRow);
  return `\n${['| call | purpose | errors |', '| --- | --- | --- |', ...rows].join('\n')}\n\n`;
}

function writeRow({
  method,
  path,
  summary,
  responses,
}: Call & { method: string; path: string }): string {
  const rejections = Object.entries(responses)
    .flatMap(([status, { 'x-error-codes': codes = [] }]) =>
      codes.map((code) => `${status}·${code}`),
    )
    .filter((rejection) => !OF_EVERY_CALL.includes(rejection));
  return `| \`${method.toUpperCase()} ${path}\` | ${summary} | ${rejections.join(' ')} |`;
}
