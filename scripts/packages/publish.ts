import { join, resolve } from 'node:path';

import { runProgram } from '../programs/run-tool.ts';
import { PACKAGES } from './packages.ts';

// `node scripts/packages/publish.ts <folder> <tag>` publishes the packages in a folder, each after
// those it depends on, in the release workflow, which installs nothing before. Run again after a failure, it skips what is
// there. A pre-release such as 0.3.0-rc.1 gets the dist-tag `next`.

const [folder = '', tag = ''] = process.argv.slice(2);
const version = tag.replace(/^v/, '');
const distTag = version.includes('-') ? 'next' : 'latest';
try {
  const names = PACKAGES.map((each) => `@service-pay/${each}`);
  for (const name of [...names, 'create-service-pay']) {
    if (await isPublished(name)) {
      console.log(`${name} ${version} is on the registry already.`);
      continue;
    }
    const file = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
    const path = join(resolve(folder), file);
    const args = ['publish', '--provenance', '--access', 'public', '--tag', distTag, path];
    const { exitCode } = await runProgram('npm', args);
    if (exitCode !== 0) throw new Error(`${name} was not published. Run this again to go on.`);
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function isPublished(name: string): Promise<boolean> {
  const args = ['view', `${name}@${version}`, 'version', '--loglevel', 'silent']; // no warnings
  const { output } = await runProgram('npm', args, { quiet: true });
  return output.trim() === version;
}
