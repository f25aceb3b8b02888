const LEAST = [22, 19] as const;

/** Returns a sentence on what to do if a version of Node is too old for a package. */
export function findNodeProblem(who: string, version = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1])) return undefined;
  return `${who} needs Node ${LEAST.join('.')} or newer; this is ${version}. Install Node 24, or run "npm install --save-dev node@24" in your project and start programs with npx.`;
}
