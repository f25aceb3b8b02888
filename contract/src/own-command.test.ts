import { expect, test } from 'vitest';
import { withOwnCommand } from './own-command.ts';

const HINT = 'Run npx --no -- service-pay orders. The sandbox: npx --no -- service-pay-sandbox';

test.each([
  ['npx', { npm_lifecycle_event: 'npx' }, '/shop/node_modules/.bin/service-pay', '/shop/src'],
  ['npm run', { npm_lifecycle_event: 'orders' }, '/shop/node_modules/.bin/service-pay', '/shop'],
  ['its path below this folder', {}, '/shop/node_modules/.bin/service-pay', '/shop'],
  ['its path on Windows', {}, 'C:\\shop\\node_modules\\x\\dist\\main.js', 'C:\\shop'],
])('a program started by %s is printed with npx', (_how, environment, path, folder) => {
  expect(withOwnCommand(HINT, 'service-pay', { environment, path, folder })).toBe(HINT);
});

test.each([
  ['/shop/node_modules/.bin/service-pay', '/', 'node /shop/node_modules/.bin/service-pay'],
  ['/shop/node_modules/.bin/service-pay', '/shop-2', 'node /shop/node_modules/.bin/service-pay'],
  ['/my shop/main.js', '/my shop', 'node "/my shop/main.js"'],
])('a program that npx does not find is printed by its path: %s in %s', (path, folder, command) => {
  expect(withOwnCommand(HINT, 'service-pay', { environment: {}, path, folder })).toBe(
    `Run ${command} orders. The sandbox: npx --no -- service-pay-sandbox`,
  );
});
