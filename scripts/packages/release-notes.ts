export interface ReleaseState {
  readonly versions: Readonly<Record<string, string>>;
  readonly changelog: string;
  readonly isClean: boolean;
  /** Those of other commits: the commit that is released may have its tag. */
  readonly tags: readonly string[];
}

export function findReleaseProblems({
  versions,
  changelog,
  isClean,
  tags,
}: ReleaseState): string[] {
  const [version = '', ...others] = [...new Set(Object.values(versions))];
  const problems: string[] = [];
  if (others.length) {
    const list = Object.entries(versions).map(([folder, each]) => `${folder} ${each}`);
    problems.push(`The packages have several versions: ${list.join(', ')}. Give them one.`);
  }
  if (readNotes(changelog, version) === undefined)
    problems.push(
      `CHANGELOG.md has no section "## ${version}". Move what is in Unreleased into one, with its date.`,
    );
  if (readNotes(changelog, 'Unreleased')?.trim())
    problems.push('CHANGELOG.md still lists unreleased changes. Move them into the section.');
  if (!isClean) problems.push('There are changes that are not committed. Commit them first.');
  if (tags.includes(`v${version}`))
    problems.push(`The tag v${version} exists. Raise the version of every package.`);
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
