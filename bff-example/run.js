// Starts a program of the shop. `npm run copy-template` puts the project's own starter here.
import { existsSync } from 'node:fs';

const starter = new URL('../scripts/run.js', import.meta.url);
if (existsSync(starter)) await import(starter.href);
else {
  console.error(
    'This folder was copied without the packages it needs. Copy it with this command, run in the ' +
      'ServicePay project: npm run copy-template -- <folder>',
  );
  process.exitCode = 1;
}
