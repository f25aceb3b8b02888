export interface ReleaseState {
  /** The version to release. */
  readonly version: string;
  readonly branch: string;
  /** The version of the last release. */
  readonly current: string;
  readonly changelog: string;
  readonly isClean: boolean;
  readonly tags: readonly string[];
}

/** Three numbers, and a name after them for a release to try out, such as `0.3.0-rc.1`. */
export const VERSION = /^\d+\.\d+\.\d+(?:-[a-z]+\.\d+)?$/;

/** Returns why this version cannot be released from this state, or an empty list. */
export function findReleaseProblems(state: ReleaseState): string[] {
  const { version, branch, current, changelog, isClean, tags } = state;
  const problems: string[] = [];
  if (!VERSION.test(version))
    problems.push('--version must be three numbers, such as 0.3.0, or 0.3.0-rc.1 to try it out.');
  else if (!isAbove(version, current))
    problems.push(`--version must be above ${current}, the version of the packages.`);
  if (!readNotes(changelog, 'Unreleased'))
    problems.push('Unreleased of CHANGELOG.md is empty. List what users notice.');
  if (branch !== 'main') problems.push(`This is the branch ${branch}. Release from main.`);
  if (!isClean) problems.push('There are changes that are not committed. Commit them first.');
  if (tags.includes(`v${version}`)) problems.push(`The tag v${version} exists. Raise the version.`);
  return problems;
}

/** Tells whether a version comes after another; `0.3.0-rc.1` comes before `0.3.0`. */
function isAbove(version: string, other: string): boolean {
  const compare = (one = '', two = '') => one.localeCompare(two, 'en', { numeric: true });
  const [[core, name], [otherCore, otherName]] = [version.split('-'), other.split('-')];
  if (core !== otherCore) return compare(core, otherCore) > 0;
  return otherName !== undefined && (name === undefined || compare(name, otherName) > 0);
}

/**
 * Returns the changes of a version as CHANGELOG.md words them, or undefined if it has no section.
 */
export function readNotes(changelog: string, version: string): string | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.split(/[\s\]]/, 1)[0]?.replace('[', '') === version);
  return section?.replace(/^.*\n/, '').trim();
}
