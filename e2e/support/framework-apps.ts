import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { preview } from 'vite';

import { installProject } from '../../scripts/packages/installed-project.ts';
import { ROOT, runNode } from '../../scripts/programs/run-tool.ts';

export const FRAMEWORKS = ['react', 'vue', 'svelte', 'plain'] as const;

const APPS = join(ROOT, 'e2e/apps');
const MODULES = join(APPS, 'node_modules');
/** Below the apps, so that what was built for a server finds its packages. */
const DIST = join(APPS, 'dist');

export type Framework = (typeof FRAMEWORKS)[number];

interface TypeCheck {
  args: (folder: string) => string[];
  file: string;
  right: string;
  wrong: string;
  mistake: RegExp;
}

const WRONG_EVENT = {
  right: '({ error }) => showError(error.code)',
  wrong: '({ reference }) => showError(reference)',
  mistake: /'reference' does not exist on type 'PaymentErrorEvent'/,
};

const tsc = (folder: string) => ['typescript/bin/tsc', '--pretty', 'false', '-p', folder];

const TYPE_CHECKS: Record<Framework, TypeCheck> = {
  react: { args: tsc, file: 'app.tsx', ...WRONG_EVENT },
  plain: {
    args: tsc,
    file: 'main.ts',
    right: 'element.prepare',
    wrong: 'element.prepaer',
    mistake: /'prepaer' does not exist/,
  },
  vue: {
    args: (folder) => ['vue-tsc/bin/vue-tsc.js', '--pretty', 'false', '-p', folder],
    file: 'ShopItem.vue',
    right: '@service-pay-error="complain"',
    wrong: `@service-pay-error="({ reference }) => emit('error', reference)"`,
    mistake: WRONG_EVENT.mistake,
  },
  svelte: {
    args: (folder) => [
      'svelte-check/bin/svelte-check',
      '--workspace',
      folder,
      '--tsconfig',
      'tsconfig.json',
      '--output',
      'machine',
    ],
    file: 'ShopItem.svelte',
    ...WRONG_EVENT,
  },
};

export interface ServedApps {
  url: string;
  close(): Promise<void>;
}

/**
 * Installs the dependencies of the apps and the packed widget. Throws npm's message if there is no
 * registry.
 */
export async function installApps(): Promise<void> {
  await installProject(APPS, ['contract', 'widget']);
}

/**
 * Checks an app's types together with a copy of one of its files that holds a mistake. Returns the
 * errors, one line each, and the text that the mistake's must have.
 */
export async function checkTypes(
  framework: Framework,
): Promise<{ errors: string[]; mistake: RegExp }> {
  const { args, file, right, wrong, mistake } = TYPE_CHECKS[framework];
  const folder = join(DIST, 'types', framework);
  const source = await readFile(join(APPS, framework, file), 'utf8');
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, file),
    source.replaceAll('../shop.ts', '../../../shop.ts').replace(right, wrong),
  );
  await copyFile(join(APPS, framework, 'vite.config.ts'), join(folder, 'vite.config.ts'));
  const tsconfig = {
    extends: '../../../tsconfig.json',
    include: ['.', `../../../${framework}`],
    exclude: [],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
  const [tool, ...rest] = args(folder);
  const { output } = await runNode([join(MODULES, `${tool}`), ...rest], { cwd: APPS, quiet: true });
  return {
    errors: output.split('\n').filter((line) => /\berror TS\d+|\bERROR "/.test(line)),
    mistake,
  };
}

/**
 * Builds each app for a service. React's is built for development, where StrictMode and hydration
 * report what they find, and rendered on the server.
 */
export async function buildApps(serviceUrl: string): Promise<void> {
  const vite = async (args: string[], mode: 'development' | 'production') => {
    const env = { VITE_SERVICE_URL: serviceUrl, NODE_ENV: mode };
    await run(
      [
        join(MODULES, 'vite/bin/vite.js'),
        'build',
        ...args,
        '--mode',
        mode,
        '--logLevel',
        'warn',
        '--emptyOutDir',
      ],
      env,
    );
  };
  const out = (folder: string) => ['--outDir', join(DIST, folder)];
  const client = (framework: string) => [
    join(APPS, framework),
    '--base',
    `/${framework}/`,
    ...out(`pages/${framework}`),
  ];
  await Promise.all([
    vite(client('vue'), 'production'),
    vite(client('svelte'), 'production'),
    vite(client('plain'), 'production'),
    vite(client('react'), 'development'),
    vite([join(APPS, 'react'), '--ssr', 'prerender.tsx', ...out('server')], 'development'),
  ]);
  await run([join(DIST, 'server/prerender.js'), join(DIST, 'pages/react/index.html')], {
    NODE_ENV: 'development',
  });
}

/**
 * Serves the built apps. Passes their `/api` calls to the shop, as the proxy in each app's Vite
 * configuration does.
 */
export async function serveApps(shopUrl: string): Promise<ServedApps> {
  const server = await preview({
    configFile: false,
    logLevel: 'warn',
    appType: 'mpa',
    root: DIST,
    build: { outDir: 'pages' },
    // The shop serves only pages of its configured address (T73). To develop like this, configure it
    // with the address of Vite.
    preview: {
      host: 'localhost',
      port: 0,
      proxy: { '/api': { target: shopUrl, changeOrigin: true, headers: { origin: shopUrl } } },
    },
  });
  const [url] = server.resolvedUrls?.local ?? [];
  if (!url) throw new Error('The apps are served nowhere.');
  return { url, close: () => server.close() };
}

async function run(args: string[], env: Record<string, string>): Promise<void> {
  const { exitCode, output } = await runNode(args, { cwd: APPS, env, quiet: true });
  if (exitCode !== 0) throw new Error(`${args.slice(0, 3).join(' ')} failed:\n${output}`);
}
