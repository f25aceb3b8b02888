import { expect, test } from 'vitest';
import { isJsonOrEmpty } from './json-body.ts';

const BODY = { 'content-length': '2' };

test.each([
  {},
  { 'content-length': '0' },
  { 'content-type': 'text/plain' },
  { ...BODY, 'content-type': 'application/json' },
  { ...BODY, 'content-type': 'APPLICATION/JSON ; Charset="UTF-8"' },
  { 'transfer-encoding': 'chunked', 'content-type': 'application/json;charset=utf-8' },
])('a body with headers %j may be read as JSON', (headers) => {
  expect(isJsonOrEmpty(headers)).toBe(true);
});

test.each([
  BODY,
  { 'transfer-encoding': 'chunked' },
  { ...BODY, 'content-type': 'text/plain' },
  { ...BODY, 'content-type': 'application/jsonp' },
  { ...BODY, 'content-type': 'text/plain; application/json' },
  { ...BODY, 'content-type': 'application/json; charset=utf-7' },
  { ...BODY, 'content-type': 'application/json; a=b; charset = "utf-16"' },
])('a body with headers %j may not be read as JSON', (headers) => {
  expect(isJsonOrEmpty(headers)).toBe(false);
});
