import { extname, join } from 'node:path';
import express, { type RequestHandler } from 'express';

import { newestIn } from '../build/is-stale.ts';
import { ROOT } from '../programs/run-tool.ts';
import { type Served, serve } from './serve.ts';

export const GALLERY_PATH = '/gallery/';

const SOURCES = ['widget/src', 'contract/src', 'vite.config.ts'].map((source) =>
  join(ROOT, source),
);

/**
 * As strict as the pages it shows: its own files and frames alone, and the Trusted Types policies
 * of the page's script and the frame's.
 */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types service-pay lit-html',
  ].join('; '),
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

let built: { files: Promise<Map<string, string | Uint8Array>>; at: number } | undefined;

/**
 * Serves the gallery below its path. Builds it on the first request, and again when its source has
 * changed.
 */
export const gallery: RequestHandler = async ({ originalUrl, path }, response) => {
  // its links are relative
  if (originalUrl === GALLERY_PATH.slice(0, -1)) return response.redirect(GALLERY_PATH);
  const name = path.slice(1) || 'index.html';
  const body = (await files(name === 'index.html')).get(name);
  if (body === undefined) response.sendStatus(404);
  else response.set(HEADERS).type(extname(name)).send(body);
};

export async function startGallery(): Promise<Served> {
  await files(true);
  const { url, close } = await serve(express().use(GALLERY_PATH, gallery), 0);
  return { url: url + GALLERY_PATH, close };
}

function files(mayBuildAgain: boolean): Promise<Map<string, string | Uint8Array>> {
  const newest = !built || mayBuildAgain ? Math.max(...SOURCES.map(newestIn)) : 0;
  if (!built || built.at < newest) built = { files: build(), at: newest };
  return built.files;
}

async function build(): Promise<Map<string, string | Uint8Array>> {
  // Imported here, so that a start does not wait for it.
  const vite = await import('vite');
  const result = await vite.build({
    configFile: join(ROOT, 'vite.config.ts'),
    mode: 'gallery',
    build: { write: false },
  });
  if (!('output' in result)) throw new Error('The gallery was not built in one go.');
  return new Map(
    result.output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source]),
  );
}
