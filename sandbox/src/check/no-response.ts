import { RuleBroken } from './must.ts';

/** Nothing usable arrived, so that the next call may be in vain, too. */
export class NoResponse extends RuleBroken {}

/** Says in plain words why a call of `fetch` or undici got no response. */
export function describeCause(error: Error, { host, hostname, port }: URL): string {
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED') return `nothing listens at ${host} (${code})`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `the name ${hostname} has no address (${code})`;
  if (message === 'bad port') return `Node.js and browsers never connect to port ${port}`;
  return message || code || error.message || error.name;
}
