import { fileURLToPath } from 'node:url';
import MagicString from 'magic-string';
import { defineConfig, type Plugin, parseAst, type UserConfig } from 'vite';

import { integrityOf } from './scripts/build/served-copies.ts';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/**
 * The oldest supported browsers: those with a modal `<dialog>` that can be styled, and adopted
 * style sheets.
 */
const TARGET = ['chrome111', 'edge111', 'firefox114', 'safari16.4'];

/** Whatever NODE_ENV is: a payment page never carries a library's code for development. */
const CONDITIONS = ['module', 'browser', 'production'];

/**
 * Lets Chromium compile a whole script on another thread while it loads, and not function by
 * function while a customer waits for the popup.
 */
const COMPILED_EARLY = { postBanner: '//# allFunctionsCalledOnLoad' };

const BROWSER_CLASSES = path('widget/src/inline/dom/browser-classes.ts');

/**
 * Vite's settings for each part of the widget. `scripts/build.ts` names the part as Vite's mode and
 * sets the output folder.
 */
const parts: Record<string, UserConfig> = {
  /** The one classic script on a merchant's page. */
  inline: {
    build: {
      lib: {
        entry: path('widget/src/inline/inline.ts'),
        formats: ['iife'],
        name: 'unused',
        fileName: () => 'inline.js',
      },
      // Statements that only the npm package needs: on a server, and in unit tests.
      rolldownOptions: { transform: { dropLabels: ['PACKAGE'] }, output: COMPILED_EARLY },
    },
    resolve: {
      conditions: CONDITIONS,
      alias: { './css-tag.js': path('widget/src/inline/dom/style-sheets.ts') },
    },
  },
  /** The page's side of an order, as a module for pages without a bundler. */
  flow: {
    build: {
      emptyOutDir: false,
      lib: {
        entry: path('widget/src/flow/index.ts'),
        formats: ['es'],
        fileName: () => 'flow.js',
      },
      // a library keeps its white space, and nobody bundles this file
      rolldownOptions: { output: { minify: true } },
    },
  },
  /** The page inside the frame, served by the payment service. */
  checkout: {
    root: path('widget/src/checkout'),
    base: '/checkout/v1/',
    build: { modulePreload: false, rolldownOptions: { output: COMPILED_EARLY } },
  },
  /** The dashboard, the phone and the bank's page of the sandbox. */
  pages: {
    root: path('sandbox/pages'),
    base: '/assets/',
    build: {
      modulePreload: false,
      assetsInlineLimit: 0,
      rolldownOptions: {
        input: ['dashboard', 'handset', 'challenge'].map((name) =>
          path(`sandbox/pages/${name}.html`),
        ),
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name].js',
          assetFileNames: '[name][extname]',
        },
      },
    },
  },
  /** A page of every state of the popup. Served with the demo pages, part of no package. */
  gallery: {
    root: path('widget/src/gallery'),
    base: './',
    build: {
      modulePreload: false,
      rolldownOptions: {
        input: ['index', 'popup', 'checkout', 'bank'].map((name) =>
          path(`widget/src/gallery/${name}.html`),
        ),
      },
    },
  },
  /** The entries of the npm package, each in one file. */
  npm: {
    build: {
      minify: false,
      sourcemap: true,
      lib: {
        entry: {
          ...Object.fromEntries(
            ['index', 'define', 'loader', 'jsx', 'testing'].map((name) => [
              name,
              path(`widget/src/inline/${name}.ts`),
            ]),
          ),
          flow: path('widget/src/flow/index.ts'),
        },
        formats: ['es'],
      },
      rolldownOptions: {
        transform: {
          // Lit names these when it loads, which must be possible on a server.
          inject: Object.fromEntries(
            ['HTMLElement', 'CSSStyleSheet'].map((name) => [name, [BROWSER_CLASSES, name]]),
          ),
        },
      },
    },
  },
};

/**
 * Shortens a piece of a literal: removes comments and blanks of styles, line breaks and indents of
 * templates.
 */
const SHORTEN: Record<string, (piece: string) => string> = {
  css: (styles) =>
    styles
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .replace(/\s+/g, ' ')
      .replace(/ ?([{};,!]|[<>]=?) ?|(?<=[:(]) | (?=\))/g, '$1')
      .replace(/(?<![\w.-])0(?=\.\d)/g, '')
      .replace(/;}/g, '}'),
  html: (template) =>
    template.replace(/(?<=>)\s*\n\s*|\s*\n\s*(?=[<>])/g, '').replace(/\s*\n\s*/g, ' '),
};

type Span = { start: number; end: number };

type Syntax = { tag?: { name?: string }; quasi?: { quasis: Span[] } };

/** Shortens `css` and `html` literals, which minifiers leave alone. */
const shortLiterals: Plugin = {
  name: 'short-literals',
  enforce: 'pre',
  transform(code, id) {
    if (!id.startsWith(path('widget/src/')) || !/\b(?:css|html)`/.test(code)) return null;
    const short = new MagicString(code);
    const collect = (node: Syntax) => {
      const shorten = SHORTEN[node.tag?.name ?? ''];
      if (shorten) {
        for (const { start, end } of node.quasi?.quasis ?? [])
          if (start < end) short.update(start, end, shorten(code.slice(start, end)));
      }
      for (const child of Object.values(node))
        if (child && typeof child === 'object') collect(child as Syntax);
    };
    collect(parseAst(code, { lang: 'ts' }) as Syntax);
    return { code: short.toString(), map: short.generateMap({ hires: true }) };
  },
};

/** Writes the script's hash into the page inside the frame, so that browsers run no other script. */
const sealedPage: Plugin = {
  name: 'sealed-page',
  apply: (_config, { mode }) => mode === 'checkout',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      for (const page of Object.values(bundle)) {
        if (page.type !== 'asset' || !page.fileName.endsWith('.html')) continue;
        page.source = `${page.source}`.replace(
          /(?<=<script [^>]*)src="\/checkout\/v1\/([^"]+)"/g,
          (src, file: string) => {
            const script = bundle[file];
            return script?.type === 'chunk'
              ? `integrity="${integrityOf(Buffer.from(script.code))}" ${src}`
              : src;
          },
        );
      }
    },
  },
};

/**
 * Removes Vite's preloading from dynamic imports: our chunks have no styles and no chunks of their
 * own.
 */
const plainImports: Plugin = {
  name: 'plain-imports',
  enforce: 'pre',
  load: (id) =>
    id === '\0vite/preload-helper.js' ? 'export const __vitePreload = (load) => load();' : null,
};

/**
 * Retries a failed chunk once, at another address: browsers may remember an address that failed,
 * and never ask there again while the page lives.
 */
const importedAgain: Plugin = {
  name: 'imported-again',
  apply: (_config, { mode }) => mode === 'checkout',
  renderChunk: (code) => ({
    code: code.replace(
      /\bimport\((["'`])(\.\/[^"'`]+)\1\)/g,
      (chunk, _quote, file: string) =>
        `${chunk}.catch(() => import("${file}?" + performance.now()))`,
    ),
    map: null,
  }),
};

export default defineConfig(({ mode }) => ({
  publicDir: false,
  plugins: [shortLiterals, plainImports, importedAgain, sealedPage],
  resolve: { conditions: CONDITIONS },
  logLevel: 'warn',
  ...parts[mode],
  build: { target: TARGET, emptyOutDir: true, reportCompressedSize: false, ...parts[mode]?.build },
}));
