const LEAST = [22, 19] as const;

/** Returns a sentence on what to do if this version of Node is too old. */
export function findNodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1])) return undefined;
  return `The sandbox needs Node ${LEAST.join('.')} or newer; this is ${version}. Install a newer Node.`;
}
