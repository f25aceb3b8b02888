import type { Service } from './service.ts';

/** One thing that a service must do. */
export interface Rule {
  readonly title: string;
  /** The sentence of the specification or of the providers' page that asks for it. */
  readonly because: string;
  /** Throws `RuleBroken` or `NotTried`; anything else is a fault of the command. */
  readonly check: (service: Service) => Promise<void>;
}

export interface Chapter {
  readonly title: string;
  readonly rules: readonly Rule[];
}

export function rule(title: string, because: string, check: Rule['check']): Rule {
  return { title, because, check };
}
