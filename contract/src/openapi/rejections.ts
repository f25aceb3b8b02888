import { ERROR_CODES, errorEnvelope, placeOf } from '../envelope.ts';
import type { Example, Rejection } from './operation.ts';

type Part = Record<string, unknown>;

export interface RejectionTraits {
  readonly hasBody: boolean;
  /** True for calls of the payment service. The control API has no injected failures. */
  readonly isService: boolean;
}

const FOREIGN: Rejection = {
  errorCode: '13',
  when: 'The request names a host this service does not serve, or a page of another origin sent it.',
};

const SHARED = {
  BodyTooLarge: { errorCode: '01', httpStatus: 413, when: 'The body is larger than 64 kB.' },
  BodyNotJson: {
    errorCode: '01',
    httpStatus: 415,
    when: 'The body is not `application/json`, not UTF-8, or compressed.',
  },
  TooManyRequests: {
    errorCode: '10',
    httpStatus: 429,
    when: 'Too many requests. Wait as long as `Retry-After` says.',
  },
  Failed: { ...placeOf('10'), when: 'Internal error. Try again later.' },
  Unavailable: {
    errorCode: '10',
    httpStatus: 503,
    when: 'Unavailable. Wait as long as `Retry-After` says. It is not known whether money moved.',
  },
} as const satisfies Record<string, Rejection>;

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad request: fix it.',
  401: 'Not authorized.',
  404: 'Not found.',
  413: 'Too large.',
  415: 'Not JSON.',
  429: 'Too many requests.',
  500: 'Internal error.',
  503: 'Unavailable.',
};

export const SHARED_REJECTIONS: Part = Object.fromEntries(
  Object.entries(SHARED).map(([name, rejection]) => [
    name,
    buildRejection(rejection.httpStatus, [rejection]),
  ]),
);

/**
 * Builds one response for each HTTP status, which lists the codes it may carry (`x-error-codes`,
 * for programs).
 */
export function buildRejections(
  rejections: readonly Rejection[],
  { hasBody, isService }: RejectionTraits,
): Part {
  const byStatus = Map.groupBy(
    [...rejections, FOREIGN],
    ({ errorCode, httpStatus }) => httpStatus ?? ERROR_CODES[errorCode].httpStatus,
  );
  const { BodyTooLarge, BodyNotJson, TooManyRequests, Failed, Unavailable } = SHARED;
  const shared = {
    ...(hasBody && { BodyTooLarge, BodyNotJson }),
    Failed,
    ...(isService && { TooManyRequests, Unavailable }),
  };
  return {
    ...Object.fromEntries(
      [...byStatus].map(([httpStatus, all]) => [httpStatus, buildRejection(httpStatus, all)]),
    ),
    ...Object.fromEntries(
      Object.entries(shared).map(([name, { httpStatus }]) => [
        httpStatus,
        { $ref: `#/components/responses/${name}` },
      ]),
    ),
  };
}

export function contentOf(
  component: string,
  examples: Readonly<Record<string, Example>>,
  mediaType = 'application/json',
): Part {
  return { [mediaType]: { schema: { $ref: `#/components/schemas/${component}` }, examples } };
}

function buildRejection(httpStatus: number, rejections: readonly Rejection[]): Part {
  return {
    description: [
      `${REASONS[httpStatus]}`,
      ...rejections.map(({ errorCode, when }) => `- \`${errorCode}\`: ${when}`),
    ].join('\n'),
    ...((httpStatus === 429 || httpStatus === 503) && {
      headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
    }),
    ...(rejections.some(({ errorCode }) => errorCode === '09') && {
      headers: { 'WWW-Authenticate': { $ref: '#/components/headers/WwwAuthenticate' } },
    }),
    content: contentOf('ErrorAnswer', toExamples(rejections)),
    'x-error-codes': [...new Set(rejections.map(({ errorCode }) => errorCode))],
  };
}

function toExamples(rejections: readonly Rejection[]): Record<string, Example> {
  const sameBefore = (index: number) =>
    rejections.slice(0, index).filter(({ errorCode }) => errorCode === rejections[index]!.errorCode)
      .length;
  return Object.fromEntries(
    rejections.map((rejection, index) => [
      `error${rejection.errorCode}${sameBefore(index) ? `-${sameBefore(index) + 1}` : ''}`,
      toExample(rejection),
    ]),
  );
}

function toExample({ errorCode, when, problems }: Rejection): Example {
  const message = problems
    ? problems.map((problem) => problem.message).join(' ')
    : when.replaceAll('`', '');
  return { summary: when, value: errorEnvelope(errorCode, message, problems) };
}
