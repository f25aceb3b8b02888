/** How a process was started. */
interface Start {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The path of the program. */
  readonly path?: string | undefined;
  /** The folder in which it runs. */
  readonly folder?: string;
}

/**
 * Returns a text with the commands of a program as its user can type them. The text has them as
 * `npx --no -- <program>`, since npx may otherwise download a stranger's package of that name. They
 * stay if npm started the program or it is installed in this folder; otherwise npx would not find it,
 * and they get its path.
 */
export function withOwnCommand(
  text: string,
  program: string,
  { environment = process.env, path = process.argv[1] ?? '', folder = process.cwd() }: Start = {},
): string {
  const isInFolder =
    path.startsWith(folder) && /^[\\/]node_modules[\\/]/.test(path.slice(folder.length));
  if (environment['npm_lifecycle_event'] || isInFolder) return text;
  const byPath = `node ${/^[\w./\\:@-]+$/.test(path) ? path : JSON.stringify(path)}`;
  return text.replace(new RegExp(`npx --no -- ${program}(?![\\w-])`, 'g'), () => byPath);
}
