/** The test that runs a command, and a text in it; or why no test runs the command. */
type RunBy = readonly [file: string, text: string] | string;

const CI = '.github/workflows/ci.yml';
const CLONE = 'scripts/folder-name.long.test.ts';
const COPY = 'scripts/copy-template.long.test.ts';
const GO = 'scripts/docs/programs.long.test.ts';

/** Commands that `programs.long.test.ts` runs as the pages print them, beside a sandbox. */
export const OF_PAGES: RunBy = [GO, 'OF_PAGES'];

/** Commands of others, and scripts of npm, after the page that prints them. The first row counts. */
export const OTHER_RUNS: readonly (readonly [command: RegExp, by: RunBy])[] = [
  // a copy of the template
  [/: (?:npm ci && )?npm run copy-template/, [COPY, "'copy-template'"]],
  [/: git init && git add/, [COPY, 'git init']],
  [/^bff-example.*: npm run sandbox$/, [COPY, "['npm', 'run', 'sandbox']"]],
  [/^bff-example.*: npm run dev$/, [COPY, "['npm', 'run', 'dev']"]],
  [/^bff-example.*: PORT=\d+ npm start$/, [COPY, "['npm', 'start']"]],
  [/^docs\/check-shop\.md: npm start > shop\.log$/, [COPY, "['npm', 'start']"]],
  [/^(?:bff-example|docs\/upgrading).*: npm test$/, [COPY, "npm(['test'"]],
  [/^(?:bff-example|docs\/upgrading).*: npm install$/, [COPY, "npm(['install'"]],
  [/^bff-example\/README\.md: curl /, [COPY, 'callAsShown']],
  [/^docs\/upgrading\.md: npm ci && rm /, [COPY, '<!-- upgrade -->']],
  [/^docs\/upgrading\.md: (?:diff|git|cd) /, [COPY, 'git worktree add']],
  [/: docker compose up/, [COPY, 'carryOutDockerfile']],
  [/: sqlite3 /, ['e2e/shop-http/database/backup.test.ts', "'sqlite backup'"]],
  [/: pg_(?:dump|restore) /, ['e2e/shop-http/database/backup.test.ts', "'postgres backup'"]],
  [/: system(?:ctl|d-run) /, 'It needs a systemd, whose unit operate.test.ts verifies.'],
  [/: export DATABASE_URL=/, 'It sets a variable.'],
  [/: python3 -m pip install django$/, 'It downloads what a system may have, as python3-django.'],
  [/: npm install --save-dev @types\/better-sqlite3/, 'It installs what a shop of your own needs.'],

  // this project
  [/: (?:npm ci && )?npm start$/, [CLONE, "['npm', 'start']"]],
  [/: npm run dev$/, [CLONE, "['npm', 'run', 'dev']"]],
  [/: (?:npm run build|node scripts\/build\.ts)\b/, [CLONE, "['run', 'build']"]],
  [/: npm ci$/, [CI, 'npm ci']],
  [/: npm run check$/, [CI, 'npm run lint']],
  [/: npm test -- journeys /, [CI, 'npm test -- journeys']],
  [/: npm run test:all$/, [CI, 'npm run test:all -- journeys long faults']],
  [/^e2e\/merchant.*: npm test$/, ['scripts/docs/merchant.long.test.ts', "'test:pages'"]],
  [/: npm test$/, [CI, 'npm test -- unit components']],
  [/: npm run docs$/, ['scripts/docs/site.long.test.ts', 'npm run docs']],
  [/: npm (?:--prefix \S+ )?run pack /, ['scripts/pack.long.test.ts', "'pack'"]],
  [/: npm run release .* --dry-run$/, ['scripts/release.long.test.ts', "'--dry-run'"]],
  [/: npm (?:login|publish)\b/, 'It publishes.'],
  [/: node scripts\/write-docs\.ts$/, ['scripts/write-docs.test.ts', 'section.write()']],
  [/: npm run faults -- F1 F3 --short$/, ['e2e/faults/main.long.test.ts', "'--short'"]],
  [/: npm run faults/, 'It takes hours. The tests of e2e/faults run each fault in short.'],
  [/: (?:npm run bench|node e2e\/bench)/, 'It measures for minutes, on a machine of its own.'],
  [/: npm run (?:screenshots|picture)/, 'A person looks at its pictures.'],
  [/: (?:\w+=\S+ )?npx (?:vitest|wtr|playwright test --config)/, 'It runs a part of the gate.'],

  // pages
  [/^docs\/(?:errors|sandbox|scenarios|security)\.md: curl /, OF_PAGES],
  [/^docs\/api\.md: cp /, OF_PAGES],
  [/: node -e /, OF_PAGES],
  [/: npm sbom /, OF_PAGES],
  [/^docs\/api\.md: curl /, ['scripts/docs/api-docs.long.test.ts', 'a call of curl that works']],
  [/^docs\/api\.md: key=/, ['scripts/docs/api-docs.long.test.ts', 'has a check of signatures']],
  [/^docs\/orms\.md: npm pkg set/, ['scripts/docs/test-quick-start.ts', "command('init')"]],
  [/: npm install kysely$/, ['scripts/docs/orms.long.test.ts', 'e2e/orms/package.json']],
  [/: npm install pg-boss$/, ['scripts/docs/recipes.long.test.ts', "'pg-boss@"]],
  [/: npm install pg$/, ['scripts/docs/serverless.long.test.ts', "'pg@"]],
  [/: npm install @vercel/, ['scripts/docs/serverless.long.test.ts', "'@vercel/functions@"]],
  [/: NODE_OPTIONS=\S+ npx jest$/, ['scripts/docs/merchant.long.test.ts', "'test:jest'"]],
  [/: npm install --save-dev @playwright/, ['scripts/docs/merchant.long.test.ts', "'test:pages'"]],
  [/: npx playwright install /, [CI, 'npx playwright install']],
  [
    /^server\/README\.md: (?:npm install express .*|node server\.mjs)$/,
    ['scripts/docs/browser-examples.long.test.ts', "command('shop')"],
  ],
  [/: npm install \.\/vendor/, ['scripts/docs/programs.long.test.ts', "command('install')"]],
  [/: npm install (?:--save-dev )?@service-pay\//, 'It works once the packages are published.'],
  [/: npm audit signatures$/, 'It works once the packages are published.'],
  [/: git clone /, 'It downloads this project.'],
  [/: (?:npm install --save-dev node@24|npx node|node --version)$/, 'It is for an older Node.'],
  [/: npx --yes http-server /, 'It downloads a package of others, in place of Python.'],
  [/: adb /, 'It needs a phone on a cable.'],
];

/** Returns what runs a command that is printed on a page, or undefined if the table lacks it. */
export function findRunBy({ file, command }: { file: string; command: string }): RunBy | undefined {
  return OTHER_RUNS.find(([pattern]) => pattern.test(`${file}: ${command}`))?.[1];
}
