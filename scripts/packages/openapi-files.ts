import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildOpenApi, SHOP_COMPONENTS, SHOP_OPERATIONS } from '@service-pay/contract/openapi';

import { CONTROL_COMPONENTS, CONTROL_OPERATIONS } from '@service-pay/sandbox/documented';
import { ROOT } from '../programs/run-tool.ts';
import { type Part, toPostman } from './postman-collection.ts';
import { withoutNumbers } from './private-numbers.ts';

const TITLES = {
  merchant: 'ServicePay merchant API and webhooks',
  checkout: 'ServicePay checkout API',
  shop: "Routes between a shop's page and its server",
  sandbox: 'ServicePay sandbox control API',
};

/** Builds every file of `openapi/` in the packages, by its name. */
export function buildOpenApiFiles(): Record<string, string> {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'sandbox/package.json'), 'utf8'));
  const all: Part = JSON.parse(
    withoutNumbers(
      JSON.stringify(
        buildOpenApi({
          version,
          operations: [...CONTROL_OPERATIONS, ...SHOP_OPERATIONS],
          components: { ...CONTROL_COMPONENTS, ...SHOP_COMPONENTS },
        }),
      ),
    ),
  );
  const merchant = pick(all, 'merchant');
  const control = pick(all, 'sandbox');
  const files = {
    'merchant.json': merchant,
    'checkout.json': pick(all, 'checkout'),
    'shop.json': pick(all, 'shop'),
    'control.json': control,
    'service-pay.postman_collection.json': toPostman(merchant, control),
  };
  return Object.fromEntries(
    Object.entries(files).map(([file, content]) => [file, `${JSON.stringify(content, null, 2)}\n`]),
  );
}

/**
 * Keeps the calls of one tag, the webhooks if they are the merchant's, and all components these
 * refer to.
 */
function pick(all: Part, tag: keyof typeof TITLES): Part {
  const { webhooks, components, paths, ...head } = all;
  const kept: Part = {
    paths: Object.fromEntries(
      Object.entries<Part>(paths).filter(([, item]) =>
        Object.values(item).every(({ tags }) => tags.includes(tag)),
      ),
    ),
    ...(tag === 'merchant' && { webhooks }),
  };
  return {
    ...head,
    info: { ...head['info'], title: TITLES[tag] },
    servers:
      tag === 'shop'
        ? [{ url: 'https://shop.example', description: 'Your shop' }]
        : head['servers'].filter(({ variables }: Part) => variables),
    tags: head['tags'].filter(({ name }: Part) => name === tag),
    ...kept,
    components: { ...keepUsed(components, kept), ...keepSchemes(components, kept) },
  };
}

function keepUsed(components: Part, kept: Part): Part {
  const used = new Set<string>();
  const queue = findReferences(kept);
  for (let reference = queue.pop(); reference; reference = queue.pop()) {
    if (used.has(reference)) continue;
    used.add(reference);
    const [kind = '', name = ''] = reference.split('/');
    queue.push(...findReferences(components[kind][name]));
  }
  return Object.fromEntries(
    ['schemas', 'responses', 'headers'].map((kind) => [
      kind,
      Object.fromEntries(
        Object.entries(components[kind]).filter(([name]) => used.has(`${kind}/${name}`)),
      ),
    ]),
  );
}

function keepSchemes({ securitySchemes }: Part, kept: Part): Part {
  const text = JSON.stringify(kept);
  return {
    securitySchemes: Object.fromEntries(
      Object.entries(securitySchemes).filter(([name]) => text.includes(`"${name}":[]`)),
    ),
  };
}

function findReferences(part: unknown): string[] {
  return [...JSON.stringify(part).matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(
    ([, name]) => name as string,
  );
}
