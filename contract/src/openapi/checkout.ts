import { CHECKOUT_PATHS, WITHDRAWN_REASON } from '../checkout-api.ts';
import { envelope } from '../envelope.ts';
import { ATTEMPTS, OPEN, PROMPT, REQUEST, sessionWith } from './examples.ts';
import type { Operation, OperationResponse, Parameter, Rejection } from './operation.ts';

const NO_SESSION_TOKEN: Rejection = {
  errorCode: '09',
  when: 'The token of the session is missing, unknown, or older than an hour after the session ended.',
};

const WRONG_FIELDS: Rejection = {
  errorCode: '01',
  when: 'The body, or a field of it, is invalid: `data.problems` lists each.',
  problems: [{ path: 'email', code: 'invalid', message: 'email is missing.' }],
};

const ATTEMPT_ID: Parameter = {
  name: 'id',
  in: 'path',
  description: 'The id that the attempt was sent with.',
  schema: { type: 'string' },
  example: ATTEMPTS.phone.id,
};

const CHALLENGE_SECRET: Parameter = {
  name: 'secret',
  in: 'path',
  description: "The unguessable end of the attempt's `challengeUrl`.",
  schema: { type: 'string' },
  example: '8c2vQm1rJ0o4Yt7hWbXkZp5sLdNf3GaE',
};

const SESSION_WITH_PROMPT: OperationResponse = {
  httpStatus: 200,
  description:
    'The current session, with the attempt. A decline is not an error: read `attempt.status`.',
  component: 'SessionAnswer',
  examples: {
    prompted: {
      summary: 'The customer has a prompt',
      value: envelope(
        sessionWith({
          status: 'pay-offline',
          expiresAt: '2026-03-12T07:09:11.562Z',
          prompt: PROMPT,
        }),
      ),
    },
    paid: {
      summary: 'A card that was charged',
      value: envelope(
        sessionWith(
          { channel: 'card', status: 'successful' },
          { status: 'successful', attemptsLeft: 0 },
        ),
      ),
    },
    challenged: {
      summary: "The card's bank asks the customer",
      value: envelope(
        sessionWith({
          channel: 'card',
          status: '3ds-auth-required',
          expiresAt: '2026-03-12T07:16:11.562Z',
          challengeUrl: `/checkout/v1/challenges/${CHALLENGE_SECRET.example}`,
        }),
      ),
    },
    declined: {
      summary: 'A card that was declined: the session is open for another try',
      value: envelope(
        sessionWith({ channel: 'card', status: 'declined', reasonForFailure: 'Card declined' }),
      ),
    },
  },
};

export const CHECKOUT_OPERATIONS: readonly Operation[] = [
  {
    operationId: 'openSession',
    method: 'post',
    path: CHECKOUT_PATHS.sessions,
    tag: 'checkout',
    door: 'anybody',
    summary: 'Open or resume a session',
    description:
      'Creates the session of this merchant and reference, or returns the existing one. Each call returns a new token; only the newest starts ' +
      'attempts. A returning visitor sends the earlier token as `Authorization: Bearer <token>` and stays the same visitor.',
    parameters: [
      {
        name: 'Authorization',
        in: 'header',
        description: 'The token of an earlier visit, as `Bearer <token>`. Any other is ignored.',
        schema: { type: 'string' },
        example: 'Bearer vN3p1W0yJ0o4Yt7hWbXkZp5sLdNf3GaE8c2vQm1rA9I',
      },
    ],
    request: {
      component: 'PaymentRequest',
      isRequired: true,
      examples: {
        least: { summary: 'Required fields only', value: REQUEST },
        whole: {
          summary: 'All fields',
          value: {
            ...REQUEST,
            currency: 'ZMW',
            label: 'Checkout',
            bearer: 'merchant',
            channels: ['card', 'mobile-money'],
            customer: { firstName: 'Ada', lastName: 'Test', phone: '0971111111' },
            billing: {
              streetAddress: '1 Cairo Road',
              city: 'Lusaka',
              postalCode: '10101',
              country: 'ZM',
            },
            locale: 'en',
          },
        },
      },
    },
    responses: [
      {
        httpStatus: 200,
        description: 'The session of a visitor who was here before.',
        component: 'SessionGrantAnswer',
        examples: {
          again: {
            summary: 'Resumed',
            value: envelope({
              token: 'vN3p1W0yJ0o4Yt7hWbXkZp5sLdNf3GaE8c2vQm1rA9I',
              session: OPEN,
            }),
          },
        },
      },
      {
        httpStatus: 201,
        description:
          'The session for a new visitor. It may have been paid already: read `session.status`.',
        component: 'SessionGrantAnswer',
        examples: {
          new: {
            summary: 'A new session',
            value: envelope({
              token: 'vN3p1W0yJ0o4Yt7hWbXkZp5sLdNf3GaE8c2vQm1rA9I',
              session: OPEN,
            }),
          },
        },
      },
    ],
    rejections: [
      WRONG_FIELDS,
      {
        errorCode: '04',
        when: 'The reference was used with another amount or currency, or its session ended after an attempt. Start a new order.',
      },
      { errorCode: '09', when: 'The public key is not known to this service.' },
    ],
  },
  {
    operationId: 'getSession',
    method: 'get',
    path: CHECKOUT_PATHS.session,
    tag: 'checkout',
    door: 'sessionToken',
    summary: 'Get the session',
    description: 'Polled while an attempt is in progress. Older tokens of the session still work.',
    responses: [
      {
        ...SESSION_WITH_PROMPT,
        description: 'The session.',
        examples: {
          new: { summary: 'No attempt yet', value: envelope(OPEN) },
          ...SESSION_WITH_PROMPT.examples,
        },
      },
    ],
    rejections: [NO_SESSION_TOKEN],
  },
  {
    operationId: 'extendSession',
    method: 'post',
    path: CHECKOUT_PATHS.extension,
    tag: 'checkout',
    door: 'sessionToken',
    summary: 'Request more time',
    description:
      "Restarts the session's time limit if less than half of it is left; otherwise it changes nothing. Needs no body.",
    responses: [
      {
        httpStatus: 200,
        description: 'The session.',
        component: 'SessionAnswer',
        examples: {
          longer: { summary: 'With more time', value: envelope({ ...OPEN, extensionsLeft: 9 }) },
        },
      },
    ],
    rejections: [
      { errorCode: '04', when: 'The session is over, or was extended too often.' },
      NO_SESSION_TOKEN,
    ],
  },
  {
    operationId: 'createAttempt',
    method: 'post',
    path: CHECKOUT_PATHS.attempts,
    tag: 'checkout',
    door: 'sessionToken',
    summary: 'Start an attempt with a card or a phone',
    description:
      'Starts one attempt under an `id` that the caller creates. Sending it again charges nothing twice. While another attempt runs, this one ' +
      'gets a response but never starts, unless the other only waits for a one-time code.',
    request: {
      component: 'CreateAttempt',
      isRequired: true,
      examples: {
        card: { summary: 'A test card', value: ATTEMPTS.card },
        phone: { summary: 'A test phone', value: ATTEMPTS.phone },
      },
    },
    responses: [SESSION_WITH_PROMPT],
    rejections: [
      {
        ...WRONG_FIELDS,
        problems: [
          {
            path: 'card.number',
            code: 'card-number-invalid',
            message: 'This is not a card number. Check its digits.',
          },
          { path: 'card.expiry', code: 'expiry-past', message: 'This card has expired.' },
        ],
      },
      { errorCode: '04', when: 'The session is over: no attempt is left.' },
      {
        errorCode: '12',
        when: 'The phone number is none, or of another network.',
        problems: [
          {
            path: 'mobileMoney.phone',
            code: 'phone-other-network',
            message: 'This is a number of Airtel, not of MTN.',
          },
        ],
      },
      {
        errorCode: '09',
        when: 'The token is missing or unknown, or the session was opened again since: open it, then send the attempt again.',
      },
    ],
  },
  {
    operationId: 'enterOneTimeCode',
    method: 'post',
    path: `${CHECKOUT_PATHS.attempts}/{id}/one-time-code`,
    tag: 'checkout',
    door: 'sessionToken',
    summary: 'Enter the one-time code',
    description:
      'Three wrong codes decline the attempt. After the right code, or once the attempt is over, a code changes nothing.',
    parameters: [ATTEMPT_ID],
    request: {
      component: 'OneTimeCode',
      isRequired: true,
      examples: { right: { summary: "The sandbox's code", value: { code: '000000' } } },
    },
    responses: [
      {
        httpStatus: 200,
        description: 'The session. A wrong code is not an error: `attempt.codesLeft` counts down.',
        component: 'SessionAnswer',
        examples: {
          wrong: {
            summary: 'A wrong code',
            value: envelope(sessionWith({ status: 'otp-required', prompt: PROMPT, codesLeft: 2 })),
          },
          right: {
            summary: 'The right code: the prompt is sent',
            value: envelope(sessionWith({ status: 'pay-offline', prompt: PROMPT })),
          },
        },
      },
    ],
    rejections: [
      {
        ...WRONG_FIELDS,
        problems: [{ path: 'code', code: 'code-invalid', message: 'code must be 4 to 8 digits.' }],
      },
      NO_SESSION_TOKEN,
      { errorCode: '13', when: 'Another visitor began this attempt.' },
      { errorCode: '11', when: 'This session has no such attempt.' },
    ],
  },
  {
    operationId: 'withdrawAttempt',
    method: 'post',
    path: `${CHECKOUT_PATHS.attempts}/{id}/withdrawal`,
    tag: 'checkout',
    door: 'sessionToken',
    summary: 'Cancel a prompt on the phone',
    description:
      "Cancels the prompt on the customer's phone, so that another attempt can begin (D47). If the customer was faster, the result counts, " +
      'and a repeated call gets the same response. A cancelled attempt counts toward the five. Needs no body.',
    parameters: [ATTEMPT_ID],
    responses: [
      {
        httpStatus: 200,
        description: 'The current session. Begin another attempt only once this one is `declined`.',
        component: 'SessionAnswer',
        examples: {
          withdrawn: {
            summary: 'The prompt is void',
            value: envelope(
              sessionWith({
                status: 'declined',
                reasonForFailure: WITHDRAWN_REASON,
                prompt: PROMPT,
              }),
            ),
          },
          refused: {
            summary: 'The network cannot cancel it',
            value: envelope(
              sessionWith({
                status: 'pay-offline',
                expiresAt: '2026-03-12T07:09:11.562Z',
                prompt: PROMPT,
                withdrawable: false,
              }),
            ),
          },
        },
      },
    ],
    rejections: [
      NO_SESSION_TOKEN,
      { errorCode: '13', when: 'Another visitor began this attempt.' },
      { errorCode: '11', when: 'This session has no such attempt.' },
    ],
  },
  {
    operationId: 'getChallenge',
    method: 'get',
    path: '/checkout/v1/challenges/{secret}/state',
    tag: 'checkout',
    door: 'anybody',
    summary: 'Get a card verification',
    description: "For the sandbox's bank page only. A real service frames the bank's own page.",
    parameters: [CHALLENGE_SECRET],
    responses: [
      {
        httpStatus: 200,
        description: 'The verification.',
        component: 'ChallengeStateAnswer',
        examples: {
          open: {
            summary: 'Waits for a decision',
            value: envelope({
              merchantName: 'Kabwata Market',
              total: '10.75',
              currency: 'ZMW',
              isOpen: true,
            }),
          },
        },
      },
    ],
    rejections: [{ errorCode: '11', when: 'No card verification has this address.' }],
  },
  {
    operationId: 'answerChallenge',
    method: 'post',
    path: '/checkout/v1/challenges/{secret}',
    tag: 'checkout',
    door: 'anybody',
    summary: 'Answer a card verification',
    description: "For the sandbox's bank page only. The first decision counts.",
    parameters: [CHALLENGE_SECRET],
    request: {
      component: 'ChallengeChoice',
      isRequired: true,
      examples: {
        approve: { summary: 'Approve', value: { answer: 'approve' } },
        decline: { summary: 'Decline', value: { answer: 'decline' } },
      },
    },
    responses: [
      {
        httpStatus: 200,
        description: 'The decision was recorded.',
        component: 'ChallengeChoiceAnswer',
        examples: { approve: { summary: 'Approved', value: envelope({ answer: 'approve' }) } },
      },
    ],
    rejections: [
      {
        ...WRONG_FIELDS,
        problems: [
          { path: 'answer', code: 'invalid', message: 'answer must be "approve" or "decline".' },
        ],
      },
      { errorCode: '04', when: 'This verification is over. Nothing was changed.' },
      { errorCode: '11', when: 'No card verification has this address.' },
    ],
  },
];
