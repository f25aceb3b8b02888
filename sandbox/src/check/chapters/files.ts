import { createHash } from 'node:crypto';
import { LANGUAGES } from '@service-pay/contract/languages';
import * as v from 'valibot';
import { must, NotTried, prepare } from '../must.ts';
import { type CheckedResponse, mustHaveHeaders } from '../responses.ts';
import { type Chapter, rule } from '../rule.ts';
import type { Service } from '../service.ts';

const SCRIPT = '/js/v1/inline.js';
const INTEGRITY = '/js/v1/integrity.json';
const IMMUTABLE = 'public, max-age=31536000, immutable';

export const FILES: Chapter = {
  title: 'Files',
  rules: [
    rule(
      'The script and the texts of each language are served',
      'Scripts of every version load these texts: only ever add names',
      async (service) => {
        mustBeFile(await service.call('GET', SCRIPT), 'text/javascript');
        for (const language of LANGUAGES.filter((one) => one !== 'en')) {
          const texts = await service.call('GET', `/js/v1/words/${language}.json`);
          mustBeFile(texts, 'application/json');
        }
      },
    ),
    rule(
      'The script may be cached for a minute',
      'cache for a minute, then revalidate',
      async (service) => {
        const value = (await fileOf(service, SCRIPT)).headers.get('cache-control') ?? '';
        const seconds = Number(/max-age=(\d+)/.exec(value)?.[1] ?? Number.NaN);
        must(
          seconds <= 60 || /no-cache|no-store/.test(value),
          `${SCRIPT} has Cache-Control "${value}": pages would keep an old script.`,
        );
      },
    ),
    rule(
      'Pages of every origin may load what is under /js/, errors included',
      'Send `Access-Control-Allow-Origin: *`, `Timing-Allow-Origin: *` and `Cross-Origin-Resource-Policy: cross-origin` with everything under `/js/`, errors included.',
      async (service) => {
        for (const path of [SCRIPT, INTEGRITY, '/js/v1/missing.js'])
          mustHaveHeaders(await service.call('GET', path), {
            'access-control-allow-origin': '*',
            'timing-allow-origin': '*',
            'cross-origin-resource-policy': 'cross-origin',
          });
      },
    ),
    rule(
      'Files arrive byte for byte as they were built',
      'all files byte for byte: a proxy that rewrites or minifies them breaks every pinned page.',
      async (service) => {
        const { file, integrity } = await releaseOf(service);
        for (const path of [SCRIPT, file]) {
          const { text } = await fileOf(service, path);
          const sum = `sha384-${createHash('sha384').update(text).digest('base64')}`;
          must(sum === integrity, `${path} is not the file that ${INTEGRITY} describes.`);
        }
      },
    ),
    rule(
      'The files of a release never change',
      '`Cache-Control: public, max-age=31536000, immutable`',
      async (service) => {
        const { file } = await releaseOf(service);
        mustHaveHeaders(await fileOf(service, file), { 'cache-control': IMMUTABLE });
      },
    ),
    rule(
      'Every response has nosniff, and none has Server-Timing',
      'Send `X-Content-Type-Options: nosniff` everywhere, and never `Server-Timing`, which reveals how the service is built.',
      async (service) => {
        for (const path of [SCRIPT, '/js/v1/missing.js', '/checkout/v1/sessions/current'])
          mustHaveHeaders(await service.call('GET', path), {
            'x-content-type-options': 'nosniff',
            'server-timing': null,
          });
      },
    ),
  ],
};

function mustBeFile({ what, status, headers }: CheckedResponse, type: string): void {
  const found = headers.get('content-type') ?? 'none';
  must(status === 200, `${what}, expected 200.`);
  must(found.startsWith(type), `${what} has the content type "${found}", expected "${type}".`);
}

function fileOf(service: Service, path: string): Promise<CheckedResponse> {
  return prepare(async () => {
    const response = await service.call('GET', path);
    must(response.status === 200, `${response.what}, expected 200.`);
    return response;
  });
}

async function releaseOf(service: Service): Promise<{ file: string; integrity: string }> {
  const { json } = await fileOf(service, INTEGRITY);
  if (v.is(v.object({ file: v.string(), integrity: v.string() }), json)) return json;
  throw new NotTried(`${INTEGRITY} names no file.`, true);
}
