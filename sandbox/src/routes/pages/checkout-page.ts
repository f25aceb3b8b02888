import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

import type { MerchantFacts } from '@service-pay/contract/checkout-api';
import type { RequestHandler } from 'express';
import { recordOf, withNotices } from '../../payments/merchant-view.ts';
import type { Merchants } from '../../payments/merchants.ts';
import { NETWORKS_BY_CURRENCY } from '../../test-numbers/phones.ts';
import type { Clock } from '../../time/clock.ts';

const PLACE = '<script type="application/json" id="merchant">';

/** Cheap settings: the page is small and compressed for every request. */
const COMPRESS = {
  br: (page: string) =>
    promisify(brotliCompress)(page, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (page: string) => promisify(gzip)(page),
};

export interface CheckoutPageDeps {
  file: string;
  merchants: Merchants;
  clock: Clock;
}

/**
 * Sends the checkout page with the public facts of the merchant in its address, so that the form
 * need not wait for the session. Calls `next` if the widget is not built.
 */
export function sendCheckoutPage({ file, merchants, clock }: CheckoutPageDeps): RequestHandler {
  return async (req, res, next) => {
    const built = await readFile(file, 'utf8').catch(() => undefined);
    if (built === undefined) return next();
    const facts = findFacts(req.query['key'], merchants, clock);
    const page = facts ? built.replace(PLACE, () => PLACE + toScriptText(facts)) : built;
    const encoding = req.acceptsEncodings(['br', 'gzip']) as keyof typeof COMPRESS | false;
    res.setHeader('Cache-Control', 'no-store');
    res.setHeader('Vary', 'Accept-Encoding');
    if (encoding) res.setHeader('Content-Encoding', encoding);
    res.type('html').send(encoding ? await COMPRESS[encoding](page) : page);
  };
}

function findFacts(key: unknown, merchants: Merchants, clock: Clock): MerchantFacts | undefined {
  const merchant = typeof key === 'string' ? merchants.find(key) : undefined;
  if (!merchant) return undefined;
  const { name, bearer, defaultCurrency, channels } = merchant;
  return {
    merchantName: name,
    merchant: recordOf(merchant),
    isTest: true,
    bearer,
    defaultCurrency,
    channels: [...channels],
    networks: [...NETWORKS_BY_CURRENCY].flatMap(([currency, networks]) =>
      withNotices(networks, merchant).map((network) => ({ ...network, currency })),
    ),
    now: clock.timestamp(),
  };
}

/** Escapes JSON so that no text can close the script element. */
function toScriptText(facts: MerchantFacts): string {
  return JSON.stringify(facts).replaceAll('<', '\\u003c');
}
