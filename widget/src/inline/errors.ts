import type { Problem } from '@service-pay/contract/payment-request';

/** The cause of an error (D20). Branch on this and never on the message. */
export type ServicePayErrorCode =
  | 'invalid_options'
  | 'already_open'
  | 'prepare_failed'
  | 'load_failed'
  | 'not_configured';

const NAME = 'ServicePayError';

/** An error for the page's developer (D20). Contains no secret and nothing a customer typed. */
export class ServicePayError extends Error {
  override readonly name = NAME;
  readonly code: ServicePayErrorCode;
  /** Every broken rule, for `invalid_options` (D4); empty for other codes. */
  readonly problems: readonly Problem[];

  constructor(
    code: ServicePayErrorCode,
    message: string,
    { problems = [], cause }: { problems?: readonly Problem[]; cause?: unknown } = {},
  ) {
    super(`ServicePay: ${message}`, { cause });
    this.code = code;
    this.problems = problems;
  }
}

/** Builds the error for broken rules of the options; its message names them all. */
export function invalidOptions(...problems: Problem[]): ServicePayError {
  const message = problems.map((problem) => problem.message).join(' ');
  return new ServicePayError('invalid_options', message, { problems });
}

/**
 * Checks for a `ServicePayError`, also from another copy of the script or another frame, where
 * `instanceof` fails.
 */
export function isServicePayError(value: unknown): value is ServicePayError {
  const { name, code } = Object(value) as Partial<ServicePayError>;
  return name === NAME && !!code;
}
