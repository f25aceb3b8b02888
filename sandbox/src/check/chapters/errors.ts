import { CHECKOUT_PATHS } from '@service-pay/contract/checkout-api';
import { must } from '../must.ts';
import { mustBeError, mustHaveHeaders } from '../responses.ts';
import { type Chapter, rule } from '../rule.ts';
import { wrongTokens } from '../wrong-tokens.ts';

const LIST = '/access/v2/collections';

export const ERRORS: Chapter = {
  title: 'Tokens and errors',
  rules: [
    rule(
      'The merchant API requires the API token',
      'Only an API token opens this API',
      async (service) => {
        mustBeError(await service.call('GET', LIST), '401·09', ' without a token');
        for (const { token, what } of wrongTokens(service.options.token))
          mustBeError(await service.call('GET', LIST, { token }), '401·09', ` for ${what}`);
      },
    ),
    rule(
      'The public key is not an API token',
      "or with a public key or a session's token, return `401·09`.",
      async (service) => {
        mustBeError(await service.call('GET', LIST, { token: service.options.key }), '401·09');
      },
    ),
    rule(
      "A session's token is not an API token",
      "or with a public key or a session's token, return `401·09`.",
      async (service) => {
        const { token } = await service.opened();
        mustBeError(await service.call('GET', LIST, { token }), '401·09');
      },
    ),
    rule(
      'Pages cannot read the merchant API',
      'Pages cannot read it: send no `Access-Control-Allow-Origin`.',
      async (service) => {
        const response = await service.call('GET', LIST, { token: service.options.token });
        mustHaveHeaders(response, { 'access-control-allow-origin': null });
      },
    ),
    rule(
      'Responses of the APIs are JSON, and no cache keeps them',
      'Every response of the APIs is JSON with `Cache-Control: no-store`.',
      async (service) => {
        const { token } = service.options;
        for (const response of [
          await service.call('GET', LIST, { token }),
          await service.call('GET', LIST),
          await service.call('GET', CHECKOUT_PATHS.session),
        ]) {
          const type = response.headers.get('content-type') ?? 'none';
          const isJson = type.startsWith('application/json');
          must(isJson, `${response.what} has the content type "${type}".`);
          mustHaveHeaders(response, { 'cache-control': 'no-store' });
        }
      },
    ),
    rule('An unknown path is not found', 'An unknown path is `404·11`', async (service) => {
      const { token } = service.options;
      mustBeError(await service.call('GET', '/access/v2/unknown', { token }), '404·11');
      const { token: ofSession } = await service.opened();
      for (const sent of [undefined, ofSession]) {
        const path = `${CHECKOUT_PATHS.session}/unknown`;
        const response = await service.call('GET', path, { token: sent });
        mustBeError(response, response.status === 401 ? '401·09' : '404·11');
      }
    }),
    rule(
      'A body that is not JSON is rejected',
      'a body that is not JSON `400·01`.',
      async (service) => {
        const response = await service.call('POST', CHECKOUT_PATHS.sessions, { body: '{"key":' });
        mustBeError(response, '400·01');
      },
    ),
  ],
};
