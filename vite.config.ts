import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin, type UserConfig } from 'vite';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** The oldest browsers served: those with a modal `<dialog>` that can be styled and adopted style sheets. */
const TARGET = ['chrome111', 'edge111', 'firefox114', 'safari16.4'];

/** What each part of the widget is built from. `scripts/build.ts` names the part as Vite's mode and says where it goes. */
const parts: Record<string, UserConfig> = {
  /** The one classic script on a merchant's page. */
  inline: {
    build: {
      lib: { entry: path('widget/src/inline/inline.ts'), formats: ['iife'], name: 'unused', fileName: () => 'inline.js' },
    },
  },
  /** The page inside the frame, served by the payment service. */
  checkout: {
    root: path('widget/src/checkout'),
    base: '/checkout/v1/',
    build: { modulePreload: false },
  },
  /** The entries of the npm package, whole in themselves. */
  npm: {
    build: {
      minify: false,
      lib: {
        entry: ['index', 'define', 'loader'].map((name) => path(`widget/src/inline/${name}.ts`)),
        formats: ['es'],
      },
    },
  },
};

/** Takes blanks and comments out of `css` literals, which no minifier looks into. */
const shortStyles: Plugin = {
  name: 'short-styles',
  enforce: 'pre',
  transform(code, id) {
    if (!id.startsWith(path('widget/src/')) || !code.includes('css`')) return null;
    const shorten = (literal: string) =>
      literal
        .replace(/\/\*[\s\S]*?\*\//g, '')
        .replace(/\s+/g, ' ')
        .replace(/ ?([{};,]) ?|(?<=:) /g, '$1')
        .replace(/;}/g, '}');
    return { code: code.replace(/\bcss`[^`]*`/g, shorten), map: null };
  },
};

/** Leaves dynamic imports as they are: a chunk of ours brings no styles and no chunks of its own that Vite would have to preload. */
const plainImports: Plugin = {
  name: 'plain-imports',
  enforce: 'pre',
  load: (id) => (id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load();' : null),
};

export default defineConfig(({ mode }) => ({
  publicDir: false,
  plugins: [shortStyles, plainImports],
  logLevel: 'warn',
  ...parts[mode],
  build: { target: TARGET, emptyOutDir: true, reportCompressedSize: false, ...parts[mode]?.build },
}));
