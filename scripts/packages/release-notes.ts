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

/** Returns why this version cannot be released from this state, or an empty list. */
export function findReleaseProblems(state: ReleaseState): string[] {
  const { version, branch, current, changelog, isClean, tags } = state;
  const problems: string[] = [];
  if (!/^\d+\.\d+\.\d+$/.test(version))
    problems.push('--version must be three numbers, such as 0.3.0.');
  else if (version.localeCompare(current, 'en', { numeric: true }) <= 0)
    problems.push(`--version must be above ${current}, the version of the packages.`);
  if (!readNotes(changelog, 'Unreleased'))
    problems.push('Unreleased of CHANGELOG.md is empty. List what users notice.');
  if (branch !== 'main') problems.push(`This is the branch ${branch}. Release from main.`);
  if (!isClean) problems.push('There are changes that are not committed. Commit them first.');
  if (tags.includes(`v${version}`)) problems.push(`The tag v${version} exists. Raise the version.`);
  return problems;
}

/**
 * Returns the changes of a version as CHANGELOG.md words them, or undefined if it has no section.
 */
export function readNotes(changelog: string, version: string): string | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.split(/[\s\]]/, 1)[0]?.replace('[', '') === version);
  return section?.replace(/^.*\n/, '').trim();
}
