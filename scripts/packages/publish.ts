import { join, resolve } from 'node:path';

import { runProgram } from '../programs/run-tool.ts';
import { PACKAGES } from './pack.ts';

// `node scripts/packages/publish.ts <folder> <tag>` publishes the packages in a folder, each after
// those it depends on, in the release workflow. Run again after a failure, it skips what is there.

const [folder = '', tag = ''] = process.argv.slice(2);
const version = tag.replace(/^v/, '');
try {
  const names = PACKAGES.map((each) => `@service-pay/${each}`);
  for (const name of [...names, 'create-service-pay']) {
    if (await isPublished(name)) {
      console.log(`${name} ${version} is on the registry already.`);
      continue;
    }
    const file = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
    const args = ['publish', '--provenance', '--access', 'public', join(resolve(folder), file)];
    const { exitCode } = await runProgram('npm', args);
    if (exitCode !== 0) throw new Error(`${name} was not published. Run this again to go on.`);
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function isPublished(name: string): Promise<boolean> {
  const args = ['view', `${name}@${version}`, 'version'];
  const { output } = await runProgram('npm', args, { quiet: true });
  return output.trim() === version;
}
