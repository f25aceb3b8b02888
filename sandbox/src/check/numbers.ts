import type { Network } from '@service-pay/contract/checkout-api';
import {
  CARD_GAPS,
  groupDigits,
  toCardAttempt,
  toPhoneAttempt,
} from '@service-pay/contract/typed-attempt';
import { groupPhone } from '@service-pay/contract/typed-phone';
import * as v from 'valibot';

import { ONE_TIME_CODE, TEST_CARDS, TEST_PHONES } from '../test-numbers/outcomes.ts';
import { NotTried } from './must.ts';

const card = v.optional(v.string());
const phone = v.optional(v.object({ operator: v.string(), phone: v.string() }));

/**
 * Test numbers of a service, by outcome; a file of `--numbers` has this shape. Rules whose outcome
 * is missing are not tried. `successful` and `declined` end without a person, within a minute;
 * `waits` is prompted until its request is cancelled, and `cannotBeWithdrawn` cannot be cancelled.
 */
export const numbersSchema = v.strictObject({
  cards: v.optional(
    v.strictObject({ successful: card, declined: card, challenged: card, billingAddress: card }),
    {},
  ),
  phones: v.optional(
    v.strictObject({
      successful: phone,
      declined: phone,
      waits: phone,
      cannotBeWithdrawn: phone,
      oneTimeCode: phone,
    }),
    {},
  ),
  /** The right code of `phones.oneTimeCode`. */
  oneTimeCode: v.optional(v.string()),
});
export type Numbers = v.InferOutput<typeof numbersSchema>;
export type CardOutcome = keyof Numbers['cards'];
export type PhoneOutcome = keyof Numbers['phones'];

/** The sandbox's test numbers. */
export const SANDBOX_NUMBERS: Numbers = {
  cards: {
    successful: testCard('successful'),
    declined: testCard('declined'),
    challenged: testCard('challenged'),
    billingAddress: testCard('billingAddress'),
  },
  phones: {
    successful: testPhone('successful'),
    declined: testPhone('notEnoughFunds'),
    waits: testPhone('waits'),
    cannotBeWithdrawn: testPhone('cannotBeWithdrawn'),
    oneTimeCode: testPhone('oneTimeCode'),
  },
  oneTimeCode: ONE_TIME_CODE.right,
};

/** Returns what the popup sends of this card, or throws `NotTried`. */
export function cardOf({ cards }: Numbers, outcome: CardOutcome) {
  const number = cards[outcome];
  if (number === undefined) throw new NotTried(`--numbers has no card "${outcome}".`);
  return toCardAttempt({
    number: groupDigits(number.replace(/[ -]/g, ''), CARD_GAPS),
    expiry: '12/34',
    securityCode: '123',
    name: 'Ada Test',
  });
}

/** Returns what the popup sends of this phone, or throws `NotTried`. */
export function phoneOf({ phones }: Numbers, outcome: PhoneOutcome, networks: readonly Network[]) {
  const given = phones[outcome];
  if (!given) throw new NotTried(`--numbers has no phone "${outcome}".`);
  const callingCode = networks[0]?.callingCode.replace(/[^0-9]/g, '') ?? '';
  const { text } = groupPhone({ text: given.phone, caret: 0 }, callingCode);
  return toPhoneAttempt(given.operator, text);
}

function testCard(name: (typeof TEST_CARDS)[number]['name']): string {
  return TEST_CARDS.find((one) => one.name === name)!.number;
}

function testPhone(name: (typeof TEST_PHONES)[number]['name']) {
  const { operator, number } = TEST_PHONES.find((one) => one.name === name)!;
  return { operator, phone: number };
}
