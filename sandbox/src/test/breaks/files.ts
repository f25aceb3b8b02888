import { type Fault, failing, withHeader, withResponse } from '../broken-service.ts';
import { type Breaks, PAGE, READ } from './past.ts';

const ORIGIN = 'http://localhost:3000';

/** Breaks of the files and of the page in the frame. */
export const FILE_BREAKS: Breaks = {
  'The script and the texts of each language are served': failing(/words\/fr\.json/, '404·11'),
  'The script may be cached for a minute': withHeader(
    /\/js\/v1\/inline/,
    'cache-control',
    'public, max-age=86400',
  ),
  'Pages of every origin may load what is under /js/, errors included': failing(
    /missing/,
    '404·11',
  ),
  'Files arrive byte for byte as they were built': withResponse(/\/js\/v1\/inline/, (response) => ({
    ...response,
    body: Buffer.from(`${response.body}\n`),
  })),
  'The files of a release never change': withHeader(/\/js\/\d/, 'cache-control', 'max-age=60'),
  'Every response has nosniff, and none has Server-Timing': withHeader(
    READ,
    'server-timing',
    'db;dur=53',
  ),
  'The page is at /checkout/v1/': failing(PAGE, '404·11'),
  'Its policy allows it its own files only': withPolicy((policy) =>
    policy.replace(/trusted-types lit-html/, ''),
  ),
  'The origins registered for the key may frame it': withPolicy((policy) =>
    policy.replace(/frame-ancestors [^;]*/, "frame-ancestors 'none'"),
  ),
  'Other origins may not frame it': withPolicy((policy, path) => {
    const origin = new URL(path, ORIGIN).searchParams.get('origin');
    return policy.replace(/frame-ancestors [^;]*/, `frame-ancestors ${origin}`);
  }),
  'Isolated pages can frame it, and no cache keeps it': withHeader(
    PAGE,
    'x-frame-options',
    'SAMEORIGIN',
  ),
  'Its scripts are served and never change': withHeader(
    /\/checkout\/v1\/assets\//,
    'cache-control',
    'no-cache',
  ),
  'The merchant facts in it have every field': withResponse(PAGE, (response) => ({
    ...response,
    body: Buffer.from(`${response.body}`.replace('"merchantName"', '"name"')),
  })),
};

function withPolicy(change: (policy: string, path: string) => string): Fault {
  return withHeader(PAGE, 'content-security-policy', (policy, { path }) => change(policy, path));
}
