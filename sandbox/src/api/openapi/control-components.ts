import { CARD_BRANDS } from '@service-pay/contract/checkout-api';
import { COLLECTION_STATUSES } from '@service-pay/contract/collection';
import { metaSchema } from '@service-pay/contract/envelope';
import { answerOf, type Component, component } from '@service-pay/contract/openapi';
import { CHANNELS } from '@service-pay/contract/payment-request';
import { EVENTS } from '@service-pay/contract/webhook';
import * as v from 'valibot';

import {
  answeredSchema,
  armedSchema,
  attemptViewSchema,
  clockStateSchema,
  clockViewSchema,
  deliveryAttemptSchema,
  deliverySchema,
  handsetSchema,
  merchantViewSchema,
  noDataSchema,
  outSchema,
  payResultSchema,
  rowSchema,
  scenarioListSchema,
  scenarioSchema,
  sentRequestSchema,
  sessionViewSchema,
  storySchema,
} from '../../control/types.ts';
import { faultSettingsSchema } from '../../faults/fault-settings.ts';
import { HAPPENING_KINDS, happeningSchema } from '../../history/history.ts';
import { placedCollectionSchema } from '../../payments/seed-collection.ts';
import {
  advanceSchema,
  armSchema,
  clockSchema,
  paySchema,
  promptSchema,
  replaySchema,
  replaysSchema,
  settingsSchema,
} from '../control-inputs.ts';

const SETTINGS = {
  name: 'Its name for customers.',
  logo: 'A `data:` URL of a PNG or an SVG of at most 8 kB; null for none.',
  cardBrands: {
    says: 'Card brands it accepts, in the order to show them.',
    known: [[...CARD_BRANDS]],
  },
  webhookUrl: 'Where its webhooks go; null for nowhere.',
  bearer: 'Who bears the fee; null where the request decides.',
  defaultCurrency: 'Three capital letters.',
  allowedOrigins: 'Which pages may frame the checkout page: origins, or `*`.',
  channels: 'Channels it takes.',
  events: { says: 'Events it is sent.', known: [[...EVENTS]] },
} as const;
const WHOSE = { merchant: 'Its public key.', reference: "The merchant's reference." } as const;
const TIME = 'ISO 8601, by the clock of the sandbox.';

function listAnswer(schema: v.GenericSchema, description: string): Component {
  return component(
    v.object({ status: v.literal(true), message: v.string(), data: v.array(schema) }),
    description,
    {
      status: 'True: the call was understood and done.',
      message: 'For logs and people.',
      data: 'What was asked for.',
    },
  );
}

export const CONTROL_COMPONENTS: Readonly<Record<string, Component>> = {
  PlacedCollection: component(
    placedCollectionSchema,
    'A collection as a test wants it: any state that a server could meet, words of tomorrow included. What is missing is filled in.',
    {
      merchant: 'Public key of its merchant.',
      reference: 'Its reference, which must be free.',
      id: 'Its id.',
      initiatedAt: TIME,
      completedAt: TIME,
      amount: 'What was asked for.',
      fee: 'By default 2.5 % where it was paid.',
      bearer: 'Who bears the fee.',
      currency: "By default the merchant's.",
      serviceReference: "The service's reference.",
      type: { says: 'The payment channel.', known: CHANNELS },
      status: { says: 'Where it stands.', known: COLLECTION_STATUSES },
      source: 'Where it came from.',
      reasonForFailure: 'Why it failed.',
      settlementStatus: 'Where its payout stands.',
      settlement: 'Its payout, or a part of it.',
      mobileMoneyDetails: 'Who paid by mobile money, or a part of it.',
      bankAccountDetails: 'Any object.',
      cardDetails: 'What is kept of a card, or a part of it.',
      notify:
        "Whether the webhook is sent, where the merchant's `events` name it. For `successful` and `failed` alone.",
    },
  ),
  PayRequest: component(
    paySchema,
    'What a customer pays with. Without card and phone, the successful card.',
    {
      merchant: 'Public key of the merchant.',
      reference: "The merchant's reference.",
      amount: 'What is to be paid.',
      currency: "By default the merchant's.",
      email: "The customer's e-mail address.",
      card: 'A test card number.',
      phone: 'A phone number of a network of this currency.',
      approve:
        'How the customer answers a challenge, a one-time code or a prompt. Without it nobody answers.',
    },
  ),
  PayResult: component(payResultSchema, 'How a payment went.', {
    merchant: 'Public key of the merchant.',
    reference: "The merchant's reference.",
    status: 'Where its attempt stands.',
    reasonForFailure: 'Why the attempt was declined; null if it was not.',
    collection: 'The collection.',
  }),
  ClockSetting: component(clockSchema, 'How the clock is to go.', {
    mode: 'A virtual clock stands still until it is advanced.',
    now: 'Where a virtual clock is to stand. Never before its time.',
  }),
  Advance: component(advanceSchema, 'How far time is moved.', {
    seconds: 'Seconds, fractions of them too, at most ten years.',
  }),
  ClockState: component(clockStateSchema, 'Where the clock stands.', {
    mode: 'How it goes.',
    now: TIME,
  }),
  ClockView: component(clockViewSchema, 'Where the clock stands and what it waits for.', {
    mode: 'How it goes.',
    now: TIME,
    nextDueAt: 'When something happens next by itself; null where nothing does.',
  }),
  PromptChoice: component(promptSchema.wrapped, 'Which prompt is meant.', {
    reference: 'That of this reference; without it the newest.',
  }),
  Answered: component(answeredSchema, 'Which prompt was answered.', {
    reference: 'Its reference.',
  }),
  Handset: component(handsetSchema, 'A pretend phone and what is out on it.', {
    number: 'The national number.',
    networkName: 'Its network.',
    country: 'Two lower-case letters.',
    mode: 'How the clock goes.',
    now: TIME,
    out: 'Oldest first.',
  }),
  Out: component(outSchema, 'What a customer was sent.', {
    kind: 'What is asked of the customer.',
    ...WHOSE,
    merchantName: 'Who is to be paid.',
    total: 'How much.',
    currency: 'Three capital letters.',
    expiresAt: 'When a prompt gives up by itself.',
    code: 'The digits of a one-time code.',
  }),
  MerchantSettings: component(
    settingsSchema.wrapped,
    'What is to change. What is not named stays.',
    {
      ...SETTINGS,
      apiToken: 'Its secret API token. A new merchant needs one.',
    },
  ),
  Merchant: component(merchantViewSchema, 'A merchant, without its secret.', {
    ...SETTINGS,
    publicKey: 'Its public key.',
    accountId: 'Where its payouts go.',
  }),
  FaultSettings: component(
    faultSettingsSchema,
    'What goes wrong, by face and at a rate of 0 to 1. Replaces what was set before.',
    {
      merchantApi: 'The merchant API.',
      checkoutApi: 'The checkout API.',
      checkoutPage: 'The page in the frame.',
      script: 'The script.',
      webhooks: 'Webhooks.',
      seed: 'The same seed and calls give the same faults.',
    },
  ),
  ArmRequest: component(armSchema.wrapped, 'Whose payment is meant.', {
    merchant: 'Public key of the merchant; without it any.',
  }),
  Armed: component(armedSchema, 'What waits for the next payment.', {
    armed: 'The scenario; null for none.',
    armedFor: 'Public key of the merchant; null for any.',
  }),
  Scenario: component(scenarioSchema, 'One story that a payment can be made to go through.', {
    name: 'Its name.',
    summary: 'What is wrong in it.',
    steps: 'How to see it.',
    shop: 'What a correct shop does.',
  }),
  ScenarioList: component(scenarioListSchema, 'The scenarios there are.', {
    scenarios: 'Every one.',
    armed: 'The one that waits for the next payment; null for none.',
    armedFor: 'Public key of the merchant; null for any.',
  }),
  Delivery: component(deliverySchema, 'One event on its way to one address.', {
    id: 'Names it in a replay.',
    event: 'What happened.',
    ...WHOSE,
    url: 'Where it goes.',
    createdAt: TIME,
    body: 'The text that is signed.',
    repeats: 'The delivery it was copied from; null for an original.',
    isReplay: 'Whether it was copied by hand.',
    status: '`dropped` was lost on purpose, `given-up` was never acknowledged.',
    nextAttemptAt: 'When it is tried next; null where it is not.',
    faults: 'What is done to it on purpose, a sentence each.',
    attempts: 'Oldest first.',
  }),
  DeliveryAttempt: component(deliveryAttemptSchema, 'One try to deliver.', {
    at: TIME,
    request: 'What was sent.',
    status: { says: 'What was answered; null for nothing.', isCount: true },
    headers: 'Headers of the answer that matter.',
    body: 'The first 64 kB of the answer; null once it had to make room.',
    error: 'Why it was not acknowledged; null where it was.',
    tookMs: { says: 'How long it took in real time.', isCount: true },
    faults: 'What was done to this one on purpose.',
  }),
  SentRequest: component(sentRequestSchema, 'A request that the sandbox made.', {
    method: 'Its method.',
    url: 'Where it went.',
    headers: 'Its headers, the signature included.',
    body: 'Its body.',
  }),
  Replay: component(replaySchema.wrapped, 'How a webhook is sent again.', {
    times: 'How often, at once.',
    url: 'Where, in place of the address it went to: on this machine or on a host the sandbox was started with.',
  }),
  Replays: component(replaysSchema.wrapped, 'Which webhooks are sent again, one after another.', {
    ids: 'These.',
    reference: 'Those of this reference. Without ids and reference all.',
    times: 'How often each.',
    shuffle: 'Whether in an order of the seed instead of their own.',
    url: 'Where, in place of the addresses they went to.',
  }),
  CollectionRow: component(rowSchema, "One collection in a list of every merchant's.", {
    ...WHOSE,
    merchantName: 'Its name for people.',
    id: 'Identifier of the collection.',
    amount: 'What was asked for.',
    currency: 'Three capital letters.',
    type: { says: 'The payment channel.', known: CHANNELS },
    status: { says: 'Where it stands.', known: COLLECTION_STATUSES },
    initiatedAt: TIME,
    completedAt: TIME,
    reasonForFailure: 'Why it failed; null where it did not.',
    instrument: 'A national phone number, or brand and end of a card; null where neither is known.',
  }),
  CollectionStory: component(storySchema, 'Everything known of one reference.', {
    merchant: 'Its public key.',
    merchantName: 'Its name for people.',
    collection: 'The collection; null before the first attempt.',
    session: 'Its session at the checkout page.',
    attempts: 'Oldest first.',
    story: 'What happened, oldest first.',
    deliveries: 'Its webhooks, oldest first.',
  }),
  SessionView: component(sessionViewSchema, 'A session, as its story shows it.', {
    status: 'Where it stands.',
    amount: 'What was asked for.',
    currency: 'Three capital letters.',
    expiresAt: TIME,
    attemptsLeft: { says: 'How many attempts may still begin.', isCount: true },
    email: "The customer's e-mail address; null for a placed collection (D29).",
  }),
  AttemptView: component(attemptViewSchema, 'One attempt, as its story shows it.', {
    id: 'As the frame made it.',
    channel: { says: 'The payment channel.', known: CHANNELS },
    status: 'Where it stands.',
    reasonForFailure: 'Why it was declined.',
    instrument: 'A national phone number, or brand and end of a card.',
    expiresAt: 'When what it waits for gives up by itself.',
  }),
  Happening: component(
    happeningSchema,
    'One thing that happened. Never holds a token, a card number or a code.',
    {
      seq: 'Its number, from 1 on.',
      at: TIME,
      kind: { says: 'What it is about.', known: HAPPENING_KINDS },
      merchant: 'Public key; null where it is about none.',
      reference: 'Null where it is about none.',
      summary: 'One plain sentence.',
      detail: 'A few facts; null for none.',
    },
  ),
  EventStream: {
    schema: v.string(),
    description:
      'Server-sent events: `happening` with a `Happening` as data; `reset` where everything was emptied; `gap` where what was asked for is ' +
      'not kept any more, or was told by another start. An id names a happening across starts. A comment every 15 s.',
    members: {},
  },
  Nothing: component(noDataSchema, 'No more to say.', {}),
  NothingAnswer: answerOf(noDataSchema, 'It was done.'),
  ClockStateAnswer: answerOf(clockStateSchema, 'Where the clock stands, in the envelope.'),
  ClockViewAnswer: answerOf(clockViewSchema, 'Where the clock stands, in the envelope.'),
  HandsetAnswer: answerOf(handsetSchema, 'A phone, in the envelope.'),
  PayResultAnswer: answerOf(payResultSchema, 'How a payment went, in the envelope.'),
  AnsweredAnswer: answerOf(answeredSchema, 'Which prompt was answered, in the envelope.'),
  MerchantAnswer: answerOf(merchantViewSchema, 'A merchant, in the envelope.'),
  MerchantListAnswer: listAnswer(merchantViewSchema, 'Every merchant, in the envelope.'),
  FaultSettingsAnswer: answerOf(faultSettingsSchema, 'What goes wrong, in the envelope.'),
  ScenarioListAnswer: answerOf(scenarioListSchema, 'The scenarios, in the envelope.'),
  ArmedAnswer: answerOf(armedSchema, 'What waits for the next payment, in the envelope.'),
  DeliveryListAnswer: listAnswer(deliverySchema, 'Webhooks, in the envelope.'),
  CollectionRowListAnswer: component(
    v.object({
      status: v.literal(true),
      message: v.string(),
      data: v.array(rowSchema),
      meta: metaSchema,
    }),
    'A page of collections of every merchant, in the envelope.',
    {
      status: 'True: the call was understood and done.',
      message: 'For logs and people.',
      data: 'The page, newest first.',
      meta: 'Where it stands.',
    },
  ),
  CollectionStoryAnswer: answerOf(
    storySchema,
    'Everything known of one reference, in the envelope.',
  ),
};
