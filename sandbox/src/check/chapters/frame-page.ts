import { merchantFactsSchema } from '@service-pay/contract/checkout-api';
import { describeMismatch } from '@service-pay/contract/issue-text';
import * as v from 'valibot';
import { must, mustMatch, NotTried, prepare } from '../must.ts';
import { type CheckedResponse, mustHaveHeaders, readJson } from '../responses.ts';
import { type Chapter, rule } from '../rule.ts';
import type { Service } from '../service.ts';

/** The frame's whole policy, but for `frame-ancestors`. */
export const FRAME_POLICY = {
  'default-src': "'none'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'frame-src': "'self'",
  'require-trusted-types-for': "'script'",
  'trusted-types': 'lit-html',
} as const;

export const FRAME_PAGE: Chapter = {
  title: 'The page in the frame',
  rules: [
    rule('The page is at /checkout/v1/', 'the page in the frame', async (service) => {
      const { status, headers, what } = await getPage(service, service.options.origin);
      const type = headers.get('content-type') ?? 'none';
      must(status === 200, `${what}, expected 200.`);
      must(type.startsWith('text/html'), `${what} has the content type "${type}".`);
    }),
    rule(
      'Its policy allows it its own files only',
      'The rest of the policy is below',
      async (service) => {
        const policy = policyOf(await pageOf(service));
        mustMatch('The policy of the page', policy, FRAME_POLICY);
      },
    ),
    rule(
      'The origins registered for the key may frame it',
      '`frame-ancestors` lists the origins registered for the `key` in the address',
      async (service) => {
        const { origin } = service.options;
        const value = ancestorsOf(await pageOf(service));
        must(
          value.split(' ').some((one) => one === origin || one === '*'),
          `frame-ancestors is "${value}", without ${origin}. Is it registered (--origin)?`,
        );
      },
    ),
    rule(
      'Other origins may not frame it',
      'Never copy the origin from the address into the header.',
      async (service) => {
        if (
          ancestorsOf(await pageOf(service))
            .split(' ')
            .includes('*')
        )
          throw new NotTried('Every origin is registered for this key.');
        const value = ancestorsOf(await getPage(service, 'https://not-registered.example'));
        must(
          value === "'none'",
          `For an origin that is not registered, frame-ancestors is "${value}", expected "'none'".`,
        );
      },
    ),
    rule(
      'Isolated pages can frame it, and no cache keeps it',
      '`require-corp` and `cross-origin`, so that isolated pages can frame it',
      async (service) => {
        mustHaveHeaders(await pageOf(service), {
          'cross-origin-embedder-policy': 'require-corp',
          'cross-origin-resource-policy': 'cross-origin',
          'referrer-policy': 'no-referrer',
          'cache-control': 'no-store',
          'x-frame-options': null,
        });
      },
    ),
    rule(
      'Its scripts are served and never change',
      'Keep those of the previous release, because open forms still load them',
      async (service) => {
        const { text } = await pageOf(service);
        const scripts = [...text.matchAll(/src="(\/checkout\/v1\/assets\/[^"]+)"/g)];
        must(scripts.length > 0, 'The page loads no script from /checkout/v1/assets/.');
        for (const [, path = ''] of scripts) {
          const response = await service.call('GET', path);
          must(response.status === 200, `${response.what}, expected 200.`);
          mustHaveHeaders(response, {
            'cache-control': 'public, max-age=31536000, immutable',
            'cross-origin-resource-policy': 'same-origin',
          });
        }
      },
    ),
    rule(
      'The merchant facts in it have every field',
      'Fill it with JSON (`merchantFactsSchema`) to let the form appear before a session exists.',
      async (service) => {
        const { text } = await pageOf(service);
        const facts = /<script type="application\/json" id="merchant">(.*?)<\/script>/s.exec(text);
        if (!facts?.[1]) throw new NotTried('The element is empty, so the form waits.');
        must(!facts[1].includes('<'), 'The facts contain "<". Write it as \\u003c.');
        const { success, issues } = v.safeParse(merchantFactsSchema, readJson(facts[1]));
        must(success, success ? '' : describeMismatch('The JSON in the page', issues));
      },
    ),
  ],
};

function getPage(service: Service, origin: string): Promise<CheckedResponse> {
  const query = new URLSearchParams({ key: service.options.key, origin });
  return service.call('GET', `/checkout/v1/?${query}`);
}

function pageOf(service: Service): Promise<CheckedResponse> {
  return prepare(async () => {
    const response = await getPage(service, service.options.origin);
    must(response.status === 200, `${response.what}, expected 200.`);
    return response;
  });
}

function policyOf({ headers }: CheckedResponse): Record<string, string> {
  const directives = (headers.get('content-security-policy') ?? '').split(';');
  return Object.fromEntries(
    directives.map((directive) => {
      const [name = '', ...values] = directive.trim().split(/\s+/);
      return [name, values.join(' ')];
    }),
  );
}

function ancestorsOf(response: CheckedResponse): string {
  return policyOf(response)['frame-ancestors'] ?? '';
}
