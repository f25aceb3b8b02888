import { expect } from '@open-wc/testing';
import type { MerchantFacts } from '@service-pay/contract/checkout-api';
import type { PaymentRequest } from '@service-pay/contract/payment-request-schema';

import { previewOf, readMerchantFacts } from './preview.ts';

const MTN = {
  operator: 'mtn',
  name: 'MTN',
  country: 'zm',
  callingCode: '260',
  prefixes: ['096'],
  currency: 'ZMW',
};
const TNM = {
  operator: 'tnm',
  name: 'TNM',
  country: 'mw',
  callingCode: '265',
  prefixes: ['088'],
  currency: 'MWK',
};

const FACTS: MerchantFacts = {
  merchantName: 'Kabwata Market',
  isTest: true,
  bearer: null,
  defaultCurrency: 'ZMW',
  channels: ['card', 'mobile-money'],
  networks: [MTN, TNM],
  now: '2026-01-01T00:00:00.000Z',
};

const REQUEST: PaymentRequest = {
  key: 'pub_1',
  email: 'mary@example.com',
  reference: 'r-1',
  amount: '10.75',
};

describe('the preview of a payment', () => {
  it('the preview of a payment says what is sure before the session is made', () => {
    expect(previewOf(FACTS, { ...REQUEST, label: 'Order 7' })).to.deep.equal({
      merchantName: 'Kabwata Market',
      label: 'Order 7',
      amount: '10.75',
      fee: '0.00',
      total: '10.75',
      currency: 'ZMW',
      bearer: 'merchant',
      isTest: true,
      channels: ['card', 'mobile-money'],
      networks: [MTN],
      now: '2026-01-01T00:00:00.000Z',
    });
  });

  it('the preview of a payment offers what both the merchant and the request do, and the networks of the currency', () => {
    const preview = previewOf(FACTS, { ...REQUEST, currency: 'MWK', channels: ['mobile-money'] });

    expect(preview?.channels).to.deep.equal(['mobile-money']);
    expect(preview?.networks).to.deep.equal([TNM]);
  });

  it('the preview of a payment leaves to the service what only it can say: the fee a customer bears (D36), and that no channel is left', () => {
    expect(previewOf(FACTS, { ...REQUEST, bearer: 'customer' })).to.equal(undefined);
    expect(
      previewOf({ ...FACTS, bearer: 'customer' }, { ...REQUEST, bearer: 'merchant' }),
    ).to.equal(undefined);
    expect(
      previewOf({ ...FACTS, bearer: 'merchant' }, { ...REQUEST, bearer: 'customer' }),
    ).not.to.equal(undefined);
    expect(previewOf(FACTS, { ...REQUEST, currency: 'USD', channels: ['mobile-money'] })).to.equal(
      undefined,
    );
    expect(
      previewOf({ ...FACTS, channels: ['card'] }, { ...REQUEST, channels: ['mobile-money'] }),
    ).to.equal(undefined);
    expect(previewOf(undefined, REQUEST)).to.equal(undefined);
  });

  it('the preview of a payment reads what the service wrote into the page, and drops what cannot be read', () => {
    const pageWith = (text: string) => {
      const page = document.implementation.createHTMLDocument();
      page.body.append(
        Object.assign(page.createElement('script'), {
          type: 'application/json',
          id: 'merchant',
          textContent: text,
        }),
      );
      return page;
    };

    const printed: string[] = [];
    const { error } = console;
    console.error = (line: string) => printed.push(line);

    expect(readMerchantFacts(pageWith(JSON.stringify(FACTS)))).to.deep.equal(FACTS);
    for (const text of ['', '\n', '{', 'null', '{"merchantName":1}'])
      expect(readMerchantFacts(pageWith(text)), text).to.equal(undefined);
    expect(readMerchantFacts(document.implementation.createHTMLDocument())).to.equal(undefined);
    console.error = error;
    expect(printed).to.have.length(3);
    expect(printed[2]).to.match(
      /^ServicePay: The merchant record in the checkout page is not as specified: merchantName must be a text; isTest is missing;/,
    );
  });
});
