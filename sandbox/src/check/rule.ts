import type { Service } from './service.ts';

/** One thing that a service, or another subject of a check, must do. */
export interface Rule<Subject = Service> {
  readonly title: string;
  /** The sentence of the specification or of a page of the docs that requires it. */
  readonly because: string;
  /** Throws `RuleBroken` or `NotTried`; anything else is a fault of the command. */
  readonly check: (subject: Subject) => Promise<void>;
}

export interface Chapter<Subject = Service> {
  readonly title: string;
  readonly rules: readonly Rule<Subject>[];
}

export function rule<Subject = Service>(
  title: string,
  because: string,
  check: Rule<Subject>['check'],
): Rule<Subject> {
  return { title, because, check };
}
