import { CARD_BRANDS } from '@service-pay/contract/checkout-api';
import { COLLECTION_STATUSES } from '@service-pay/contract/collection';
import { metaSchema } from '@service-pay/contract/envelope';
import { answerOf, type Component, component } from '@service-pay/contract/openapi';
import { CHANNELS } from '@service-pay/contract/payment-request';
import { EVENTS } from '@service-pay/contract/webhook';
import * as v from 'valibot';
import {
  advanceSchema,
  armSchema,
  clockSchema,
  paySchema,
  promptSchema,
  replaySchema,
  replaysSchema,
  settingsSchema,
} from '../../control/inputs.ts';
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

const SETTINGS = {
  name: 'The name customers see.',
  logo: 'A `data:` URL of a PNG or SVG of at most 8 kB, or null.',
  cardBrands: {
    says: 'Card brands it accepts, in the order to show them.',
    known: [[...CARD_BRANDS]],
  },
  webhookUrl: 'Receives its webhooks; null sends none.',
  bearer: 'Who bears the fee; null lets the request decide.',
  defaultCurrency: 'Three capital letters.',
  allowedOrigins: 'Origins of pages that may frame the checkout page, or `*`.',
  channels: 'Channels it accepts.',
  events: { says: 'Events sent to it.', known: [[...EVENTS]] },
  networkNotices: 'Networks that its customers are told are `slow` or `down`, by operator.',
} as const;
const OWNER = { merchant: 'Its public key.', reference: "The merchant's reference." } as const;
const TIME = "ISO 8601, by the sandbox's clock.";

function listAnswer(schema: v.GenericSchema, data: string): Component {
  return component(
    v.object({ status: v.literal(true), message: v.string(), data: v.array(schema) }),
    `${data}, in the envelope.`,
    {
      status: 'Always true.',
      message: 'For logs and people.',
      data: `${data}.`,
    },
  );
}

export const CONTROL_COMPONENTS: Readonly<Record<string, Component>> = {
  PlacedCollection: component(
    placedCollectionSchema,
    'A collection in any state that a server could run into, including unknown values. The sandbox fills in missing fields.',
    {
      merchant: 'Public key of its merchant.',
      reference: 'Its reference, which must be unused.',
      id: 'Its id.',
      initiatedAt: TIME,
      completedAt: TIME,
      amount: 'The requested amount.',
      fee: 'By default 2.5 % if it was paid.',
      bearer: 'Who bears the fee.',
      currency: "By default the merchant's.",
      serviceReference: "The service's reference.",
      type: { says: 'The payment channel.', known: CHANNELS },
      status: { says: 'Its status.', known: COLLECTION_STATUSES },
      source: 'Its source.',
      reasonForFailure: 'Why it failed.',
      settlementStatus: 'The status of its payout.',
      settlement: 'Its payout, or a part of it.',
      mobileMoneyDetails: 'The mobile money payer, or a part of it.',
      bankAccountDetails: 'Any object.',
      cardDetails: 'The stored card details, or a part of them.',
      notify:
        "Sends the webhook if the merchant's `events` include it. Only for `successful` and `failed`.",
    },
  ),
  PayRequest: component(
    paySchema,
    'A payment by a customer. Uses the successful card if neither card nor phone is given.',
    {
      merchant: 'Public key of the merchant.',
      reference: "The merchant's reference.",
      amount: 'The amount to pay.',
      currency: "By default the merchant's.",
      email: "The customer's e-mail address.",
      card: 'A test card number.',
      phone: 'A phone number of a network of this currency.',
      approve:
        "The customer's answer to a challenge, a one-time code or a prompt. If missing, it stays unanswered.",
    },
  ),
  PayResult: component(payResultSchema, 'The result of a payment.', {
    merchant: 'Public key of the merchant.',
    reference: "The merchant's reference.",
    status: "The attempt's status.",
    reasonForFailure: 'Why the attempt was declined; null if it was not.',
    collection: 'The collection.',
  }),
  ClockSetting: component(clockSchema, 'A setting of the clock.', {
    mode: 'A virtual clock is stopped until it is advanced.',
    now: "The virtual clock's new time, not before its current time.",
  }),
  Advance: component(advanceSchema, 'A step of the clock.', {
    seconds: 'Seconds, with fractions; at most ten years.',
  }),
  ClockState: component(clockStateSchema, "The clock's state.", {
    mode: 'Real or virtual.',
    now: TIME,
  }),
  ClockView: component(clockViewSchema, "The clock's state and its next event.", {
    mode: 'Real or virtual.',
    now: TIME,
    nextDueAt: 'When the next event runs by itself; null if none is planned.',
  }),
  PromptChoice: component(promptSchema.wrapped, 'The prompt to answer.', {
    reference: 'Its reference; by default the newest prompt.',
  }),
  Answered: component(answeredSchema, 'The prompt that was answered.', {
    reference: 'Its reference.',
  }),
  Handset: component(handsetSchema, 'A test phone with its prompts and codes.', {
    number: 'The national number.',
    networkName: 'Its network.',
    country: 'Two lower-case letters.',
    mode: "The clock's mode.",
    now: TIME,
    out: 'Its open prompts and codes, oldest first.',
  }),
  Out: component(outSchema, 'A message to a customer.', {
    kind: 'A prompt or a one-time code.',
    ...OWNER,
    merchantName: "The merchant's name.",
    total: 'The amount to pay.',
    currency: 'Three capital letters.',
    expiresAt: 'When a prompt expires.',
    code: 'The digits of a one-time code.',
  }),
  MerchantSettings: component(
    settingsSchema.wrapped,
    'Settings to change. Others keep their values.',
    {
      ...SETTINGS,
      apiToken: 'Its secret API token. A new merchant needs one.',
    },
  ),
  Merchant: component(merchantViewSchema, 'A merchant, without its API token.', {
    ...SETTINGS,
    publicKey: 'Its public key.',
    accountId: 'The account of its payouts.',
  }),
  FaultSettings: component(
    faultSettingsSchema,
    'Faults by part of the sandbox, each with a rate from 0 to 1. Replaces earlier faults.',
    {
      merchantApi: 'The merchant API.',
      checkoutApi: 'The checkout API.',
      checkoutPage: 'The page in the frame.',
      script: 'The script.',
      webhooks: 'Webhooks.',
      seed: 'The same seed and calls give the same faults.',
    },
  ),
  ArmRequest: component(armSchema.wrapped, 'The merchant to arm a scenario for.', {
    merchant: 'Public key of the merchant; by default any.',
  }),
  Armed: component(armedSchema, 'The scenario of the next payment.', {
    armed: 'The scenario; null for none.',
    armedFor: 'Public key of the merchant; null for any.',
  }),
  Scenario: component(scenarioSchema, 'A scripted payment.', {
    name: 'Its name.',
    summary: 'What goes wrong.',
    steps: 'Steps to reproduce it.',
    shop: 'What a correct shop does.',
  }),
  ScenarioList: component(scenarioListSchema, 'All scenarios, and the one that is armed.', {
    scenarios: 'Every one.',
    armed: 'The scenario of the next payment; null for none.',
    armedFor: 'Public key of the merchant; null for any.',
  }),
  Delivery: component(deliverySchema, 'One event on its way to one URL.', {
    id: 'Its id, for replays.',
    event: 'The event.',
    ...OWNER,
    url: 'Its destination.',
    createdAt: TIME,
    body: 'The signed text.',
    repeats: 'The delivery it was copied from; null for an original.',
    isReplay: 'True if someone replayed it.',
    status: '`dropped` means lost by a fault, `given-up` never acknowledged.',
    nextAttemptAt: 'The time of the next attempt; null if there is none.',
    faults: 'The faults injected, one sentence each.',
    attempts: 'Its attempts to deliver, oldest first.',
  }),
  DeliveryAttempt: component(deliveryAttemptSchema, 'One attempt to deliver.', {
    at: TIME,
    request: 'The request.',
    status: { says: "The response's status; null without a response.", isCount: true },
    headers: "The response's most useful headers.",
    body: 'The first 64 kB of the response; null once dropped to save space.',
    error: 'Why it was not acknowledged; null if it was.',
    tookMs: { says: 'Its duration in real time.', isCount: true },
    faults: 'The faults injected into this attempt.',
  }),
  SentRequest: component(sentRequestSchema, 'A request that the sandbox made.', {
    method: 'Its method.',
    url: 'Its destination.',
    headers: 'Its headers, the signature included.',
    body: 'Its body.',
  }),
  Replay: component(replaySchema.wrapped, 'A replay of one webhook.', {
    times: 'The number of copies, sent at once.',
    url: 'Replaces its URL; on this machine or on a host that the sandbox was started with.',
  }),
  Replays: component(replaysSchema.wrapped, 'A replay of several webhooks, one after another.', {
    ids: 'Ids of webhooks.',
    reference: "Replays this reference's webhooks. Without ids and reference, all.",
    times: 'The number of copies of each.',
    shuffle: 'Sends them in a random order that depends on the seed.',
    url: 'Replaces their URLs.',
  }),
  CollectionRow: component(rowSchema, "One collection in a list of every merchant's.", {
    ...OWNER,
    merchantName: "The merchant's name.",
    id: 'Identifier of the collection.',
    amount: 'The requested amount.',
    currency: 'Three capital letters.',
    type: { says: 'The payment channel.', known: CHANNELS },
    status: { says: 'Its status.', known: COLLECTION_STATUSES },
    initiatedAt: TIME,
    completedAt: TIME,
    reasonForFailure: 'Why it failed; null if it did not.',
    instrument:
      "A national phone number, or a card's brand and last digits; null if neither is known.",
  }),
  CollectionStory: component(storySchema, 'Everything known about one reference.', {
    merchant: 'Its public key.',
    merchantName: "The merchant's name.",
    collection: 'The collection; null before the first attempt.',
    session: 'Its session at the checkout page.',
    attempts: 'The attempts to pay, oldest first.',
    story: 'Its events, oldest first.',
    deliveries: 'Its webhooks, oldest first.',
  }),
  SessionView: component(sessionViewSchema, "A session in a collection's story.", {
    status: 'Its status.',
    amount: 'The requested amount.',
    currency: 'Three capital letters.',
    expiresAt: TIME,
    attemptsLeft: { says: 'The number of attempts left.', isCount: true },
    email: "The customer's e-mail address; null for a placed collection.",
  }),
  AttemptView: component(attemptViewSchema, "One attempt in a collection's story.", {
    id: 'The id that the frame chose.',
    channel: { says: 'The payment channel.', known: CHANNELS },
    status: 'Its status.',
    reasonForFailure: 'Why it was declined.',
    instrument: "A national phone number, or a card's brand and last digits.",
    expiresAt: 'When its current wait ends by itself.',
  }),
  Happening: component(
    happeningSchema,
    'One thing that happened. Never holds a token, a card number or a code.',
    {
      seq: 'Its number, starting at 1.',
      at: TIME,
      kind: { says: 'Its subject.', known: HAPPENING_KINDS },
      merchant: 'Public key; null if it concerns no merchant.',
      reference: 'Null if it concerns no reference.',
      summary: 'One sentence.',
      detail: 'A few facts; null for none.',
    },
  ),
  EventStream: {
    schema: v.string(),
    description:
      'Server-sent events: `happening` with a `Happening` as data; `reset` when everything was deleted; `gap` when events that you asked for ' +
      'are no longer kept or belong to another start. An id stays valid across starts. A comment every 15 s.',
    members: {},
  },
  Nothing: component(noDataSchema, 'No data.', {}),
  NothingAnswer: answerOf(noDataSchema, 'Nothing'),
  ClockStateAnswer: answerOf(clockStateSchema, "The clock's state"),
  ClockViewAnswer: answerOf(clockViewSchema, "The clock's state and what is due"),
  HandsetAnswer: answerOf(handsetSchema, 'A phone'),
  PayResultAnswer: answerOf(payResultSchema, 'The result of a payment'),
  AnsweredAnswer: answerOf(answeredSchema, 'The prompt that was answered'),
  MerchantAnswer: answerOf(merchantViewSchema, 'A merchant'),
  MerchantListAnswer: listAnswer(merchantViewSchema, 'Every merchant'),
  FaultSettingsAnswer: answerOf(faultSettingsSchema, 'The faults'),
  ScenarioListAnswer: answerOf(scenarioListSchema, 'The scenarios'),
  ArmedAnswer: answerOf(armedSchema, 'The scenario of the next payment'),
  DeliveryListAnswer: listAnswer(deliverySchema, 'The stored webhooks'),
  CollectionRowListAnswer: component(
    v.object({
      status: v.literal(true),
      message: v.string(),
      data: v.array(rowSchema),
      meta: metaSchema,
    }),
    'A page of collections of every merchant, in the envelope.',
    {
      status: 'Always true.',
      message: 'For logs and people.',
      data: 'Collections of every merchant, newest first.',
      meta: 'The position of the page.',
    },
  ),
  CollectionStoryAnswer: answerOf(storySchema, 'Everything known of one reference'),
};
