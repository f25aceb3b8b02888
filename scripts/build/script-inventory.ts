import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LANGUAGES } from '@service-pay/contract/languages';

import { integrityOf } from './served-copies.ts';

/** One script that runs where a payment is made (card-industry requirement 6.4.3). */
export interface InventoriedScript {
  /** The merchant's own page, or the page inside the frame, where card data is typed. */
  page: 'merchant' | 'payment';
  file: string;
  integrity: string;
  purpose: string;
  authorisedBy: string;
  loaded: 'always' | 'when needed';
}

export interface MonitoredHeader {
  name: string;
  purpose: string;
}

/** The contents of `/js/v1/scripts.json`. */
export interface ScriptInventory {
  version: string;
  scripts: InventoriedScript[];
  headers: MonitoredHeader[];
}

const MERCHANT_SCRIPTS = [
  {
    name: 'inline.js',
    purpose:
      'Defines ServicePay.getPaid and <service-pay>: opens the payment window and reports its outcome to the page. Sees no card data.',
    loaded: 'always',
  },
  {
    name: 'flow.js',
    purpose:
      "Follows the page's order: finds an unfinished payment again and polls the shop's server for its state. Sees no card data.",
    loaded: 'when needed',
  },
] as const;

const FRAME_PURPOSES: Record<string, string> = {
  index:
    'Takes the payment: shows the forms, sends what the customer types to the service and shows the result.',
  'brand-table': 'Finds brand, length and spacing of a card number while it is typed.',
  lazy: 'Takes a phone number and a one-time code, shows the bank’s page, waits with the customer for the phone, gives more time and lists problems.',
  ...Object.fromEntries(
    LANGUAGES.map((language) => [
      language,
      `Words of the payment page in the language "${language}".`,
    ]),
  ),
};

/** Scripts that the frame's page does not name but every payment loads. */
const ALWAYS_LOADED = ['lazy'];

const HEADERS: MonitoredHeader[] = [
  {
    name: 'content-security-policy',
    purpose:
      'Lets in scripts, calls and frames of the service alone, and says who may frame the page.',
  },
  {
    name: 'cross-origin-embedder-policy',
    purpose: 'Keeps files of other origins out that do not allow it.',
  },
  { name: 'cross-origin-resource-policy', purpose: 'Lets pages of merchants frame it.' },
  { name: 'referrer-policy', purpose: 'Keeps the address of the page to itself.' },
  {
    name: 'x-content-type-options',
    purpose: 'Keeps a file from being taken for another kind, a script above all.',
  },
  {
    name: 'cache-control',
    purpose: 'Keeps the page out of every cache: a changed one is seen at once.',
  },
];

/**
 * Lists every script of a built widget with its hash, purpose and authorisation (requirements 6.4.3
 * and 11.6.1). Throws if a script of the frame has no purpose listed.
 */
export async function buildInventory(dist: string, version: string): Promise<ScriptInventory> {
  const assets = (await readdir(join(dist, 'checkout/v1/assets')))
    .filter((name) => name.endsWith('.js'))
    .sort();
  const page = await readFile(join(dist, 'checkout/v1/index.html'), 'utf8');
  const withHash = async (
    script: Omit<InventoriedScript, 'integrity'>,
  ): Promise<InventoriedScript> => {
    const { page, file, ...words } = script;
    return { page, file, integrity: integrityOf(await readFile(join(dist, file))), ...words };
  };
  const ofMerchant = MERCHANT_SCRIPTS.flatMap(({ name, ...script }) => [
    {
      ...script,
      file: `/js/v1/${name}`,
      authorisedBy:
        "The service's origin in the page's script-src. It moves with releases: this file and integrity.json move with it.",
    },
    {
      ...script,
      file: `/js/${version}/${name}`,
      authorisedBy: "The integrity attribute of the page's script tag. It never changes.",
    },
  ]);
  const scripts = [
    ...ofMerchant.map((script) => withHash({ page: 'merchant', ...script })),
    ...assets.map((name) => {
      const file = `/checkout/v1/assets/${name}`;
      const isNamed = page.includes(`src="${file}"`);
      return withHash({
        page: 'payment',
        file,
        purpose: purposeOf(name),
        authorisedBy: isNamed
          ? "script-src 'self' of the payment page, and the integrity attribute of its script tag."
          : "script-src 'self' of the payment page, whose own script loads it by a name made from its content.",
        loaded: isNamed || ALWAYS_LOADED.includes(chunkOf(name)) ? 'always' : 'when needed',
      });
    }),
  ];
  return { version, scripts: await Promise.all(scripts), headers: HEADERS };
}

function purposeOf(name: string): string {
  const chunk = chunkOf(name);
  const purpose = Object.hasOwn(FRAME_PURPOSES, chunk) && FRAME_PURPOSES[chunk];
  if (!purpose)
    throw new Error(
      `Add the purpose of the checkout page's script "${chunk}" to scripts/build/script-inventory.ts.`,
    );
  return purpose;
}

function chunkOf(name: string): string {
  return name.replace(/-[\w-]{8}\.js$/, '');
}
