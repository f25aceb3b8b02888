import { sessionSchema, WITHDRAWN_REASON } from '@service-pay/contract/checkout-api';
import { findPhone } from '@service-pay/contract/phone';
import { toPhoneAttempt } from '@service-pay/contract/typed-attempt';
import { must, mustMatch, NotTried, prepare } from '../must.ts';
import type { PhoneOutcome } from '../numbers.ts';
import { type CheckedResponse, dataOf, isOver, mustBeError } from '../responses.ts';
import { type Chapter, rule } from '../rule.ts';
import type { Service } from '../service.ts';

const WRONG_CODES = ['111111', '222222'];
const MOST_CODES = 10;

export const PHONES: Chapter = {
  title: 'Mobile money',
  rules: [
    rule(
      'The form accepts each test phone, as of its network',
      '`prefixes` are the first digits of national numbers, with the leading 0',
      async (service) => {
        const networks = await service.networks();
        const given = Object.keys(service.options.numbers.phones) as PhoneOutcome[];
        if (!given.length) throw new NotTried('--numbers has no phone.');
        for (const outcome of given) {
          const { operator, phone } = (await service.phone(outcome)).mobileMoney;
          const found = findPhone(phone, networks)?.network.operator;
          must(
            found === operator,
            `By the networks of the session, the phone "${outcome}" is ${found ? `of ${found}` : 'no number'}, expected ${operator}.`,
          );
        }
      },
    ),
    rule(
      'A phone pays',
      'start an attempt under the `id` that the frame created',
      async (service) => {
        const { token } = await service.opened();
        const input = await service.phone('successful');
        dataOf(await service.startAttempt(token, input), sessionSchema);
        const session = await service.sessionUntil(token, ({ attempt }) => isOver(attempt));
        mustMatch('The session', session, { status: 'successful' });
      },
    ),
    rule(
      'A request on the phone says which phone and until when',
      'While it waits for the phone, `prompt` and `expiresAt` are set',
      async (service) => {
        const input = await service.phone('waits');
        const { attempt } = await service.started(input, 'pay-offline');
        const digits = attempt.prompt?.lastDigits ?? '';
        const phone = input.mobileMoney.phone.replace(/[^0-9]/g, '');
        const isShort = digits.length > 0 && digits.length < phone.length;
        must(isShort && phone.endsWith(digits), 'prompt.lastDigits is not the end of the number.');
        must(attempt.expiresAt !== null, 'The attempt has no expiresAt.');
        must(
          attempt.withdrawable !== false,
          'withdrawable is false although no cancellation has failed.',
        );
      },
    ),
    rule('A wrong phone number is rejected', 'a bad phone number `400·12`', async (service) => {
      const { token } = await service.opened();
      const { id, mobileMoney } = await service.phone('successful');
      const wrong = { id, ...toPhoneAttempt(mobileMoney.operator, '12') };
      mustBeError(await service.startAttempt(token, wrong), '400·12');
    }),
    rule(
      'A request can be cancelled',
      'cancel the request on the phone: the attempt is `declined` with the reason `Withdrawn by customer`',
      async (service) => {
        const { visit, attempt } = await service.started(
          await service.phone('waits'),
          'pay-offline',
        );
        const response = supported(await service.withdraw(visit.token, attempt.id));
        mustMatch('The attempt', dataOf(response, sessionSchema).attempt ?? {}, {
          status: 'declined',
          reasonForFailure: WITHDRAWN_REASON,
        });
      },
    ),
    rule(
      'A cancellation that is repeated gets the same response',
      'Return the same response if it is repeated.',
      async (service) => {
        const { visit, attempt } = await service.started(
          await service.phone('waits'),
          'pay-offline',
        );
        const first = supported(await service.withdraw(visit.token, attempt.id));
        await prepare(async () => dataOf(first, sessionSchema));
        const again = dataOf(await service.withdraw(visit.token, attempt.id), sessionSchema);
        mustMatch('The attempt', again.attempt ?? {}, { status: 'declined' });
      },
    ),
    rule(
      'A request that the network cannot cancel stays, and says so',
      'or still `pay-offline` with `withdrawable: false` if the network cannot cancel it',
      async (service) => {
        const input = await service.phone('cannotBeWithdrawn');
        const { visit, attempt } = await service.started(input, 'pay-offline');
        const response = supported(await service.withdraw(visit.token, attempt.id));
        mustMatch('The attempt', dataOf(response, sessionSchema).attempt ?? {}, {
          status: 'pay-offline',
          withdrawable: false,
        });
      },
    ),
    rule(
      'A payment that was paid cannot be cancelled',
      'An attempt that has ended stays as it is',
      async (service) => {
        const { visit, attempt } = await service.started(
          await service.phone('successful'),
          'successful',
        );
        await service.withdraw(visit.token, attempt.id);
        const session = await service.sessionUntil(visit.token, () => true);
        mustMatch('The session', session, { status: 'successful' });
      },
    ),
    rule(
      'Another visitor can neither cancel it nor enter the code',
      'Nobody else can cancel the request or enter the code',
      async (service) => {
        const waiting = await service.started(await service.phone('waits'), 'pay-offline');
        const { request, visit, attempt } = waiting;
        const stranger = await service.opened(request);
        const response = await service.withdraw(stranger.token, attempt.id);
        must(response.status >= 400, `${response.what} for another visitor, expected an error.`);
        const { attempt: after } = await service.sessionUntil(visit.token, () => true);
        mustMatch('The attempt', after ?? {}, { status: 'pay-offline' });
        const prompted = await promptedForCode(service);
        const other = await service.opened(prompted.request);
        const { oneTimeCode = '' } = service.options.numbers;
        const entered = await service.enterCode(other.token, prompted.attempt.id, oneTimeCode);
        must(entered.status >= 400, `${entered.what} for another visitor, expected an error.`);
      },
    ),
    rule('A wrong code can be corrected', 'accept the code', async (service) => {
      const { visit, attempt } = await promptedForCode(service);
      const wrong = WRONG_CODES.find((one) => one !== service.options.numbers.oneTimeCode)!;
      const response = await service.enterCode(visit.token, attempt.id, wrong);
      mustMatch('The attempt', dataOf(response, sessionSchema).attempt ?? {}, {
        status: 'otp-required',
        codesLeft: (attempt.codesLeft ?? 0) - 1,
      });
    }),
    rule(
      'Wrong codes are limited',
      'with none left, the attempt is `declined`',
      async (service) => {
        const { visit, attempt } = await promptedForCode(service);
        const { oneTimeCode = '' } = service.options.numbers;
        const wrong = WRONG_CODES.find((one) => one !== oneTimeCode)!;
        for (let sent = 0; sent < MOST_CODES; sent++) {
          const response = await service.enterCode(visit.token, attempt.id, wrong);
          const session = await prepare(async () => dataOf(response, sessionSchema));
          if (session.attempt?.status === 'declined') break;
        }
        await service.enterCode(visit.token, attempt.id, oneTimeCode);
        const session = await service.sessionUntil(visit.token, () => true);
        mustMatch(`After ${MOST_CODES} wrong codes, the attempt`, session.attempt ?? {}, {
          status: 'declined',
        });
      },
    ),
    rule(
      'The right code pays, also with an older token of its visitor',
      "Older tokens can still read the session and enter a code for their visitor's attempt.",
      async (service) => {
        const { oneTimeCode: code } = service.options.numbers;
        if (code === undefined) throw new NotTried('--numbers has no oneTimeCode.');
        const { request, visit, attempt } = await promptedForCode(service);
        await service.opened(request, visit.token);
        dataOf(await service.enterCode(visit.token, attempt.id, code), sessionSchema);
        const session = await service.sessionUntil(visit.token, (one) => isOver(one.attempt));
        mustMatch('The session', session, { status: 'successful' });
      },
    ),
    rule(
      'An attempt that only waits for a code is replaced by a new one',
      'An attempt that only waits for a one-time code is replaced by a new one, and its code then does nothing',
      async (service) => {
        const { visit, attempt: replaced } = await promptedForCode(service);
        const next = service.card('declined');
        const { attempt } = dataOf(await service.startAttempt(visit.token, next), sessionSchema);
        mustMatch('The new attempt', attempt ?? {}, { id: next.id });
        const { oneTimeCode = '' } = service.options.numbers;
        await service.enterCode(visit.token, replaced.id, oneTimeCode);
        const session = await service.sessionUntil(visit.token, (one) => isOver(one.attempt));
        mustMatch('After the code of the old attempt, the session', session, { status: 'open' });
      },
    ),
  ],
};

async function promptedForCode(service: Service) {
  return service.started(await service.phone('oneTimeCode'), 'otp-required');
}

function supported(response: CheckedResponse): CheckedResponse {
  if (response.status !== 404) return response;
  throw new NotTried('This service cannot cancel requests: customers decline on the phone.');
}
