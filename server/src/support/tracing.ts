import { tracingChannel } from 'node:diagnostics_channel';

/** The message of each channel. Each becomes `result` or `error` of the same object, too. */
interface Traced {
  /** Verifying a payment and recording the outcome. */
  confirm: { reference: string; trigger: string };
  /** One call of the application's `fulfil`. */
  fulfil: { orderId: string; reference: string; attempt: number };
  webhook: { event?: string; reference?: string | null };
  /** One verify call to the service, with its retries. */
  verify: { reference: string };
}

const CHANNELS = {
  confirm: tracingChannel('service-pay:confirm'),
  fulfil: tracingChannel('service-pay:fulfil'),
  webhook: tracingChannel('service-pay:webhook'),
  verify: tracingChannel('service-pay:verify'),
};

/** Runs a task, and publishes its start and its end on a channel that somebody listens to. */
export function traced<Name extends keyof Traced, Result>(
  name: Name,
  call: Traced[Name],
  task: () => Promise<Result>,
): Promise<Result> {
  const channel = CHANNELS[name];
  return channel.hasSubscribers ? channel.tracePromise(task, call) : task();
}
