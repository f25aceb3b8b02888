import { RuleBroken } from '../must.ts';

/** The shop gave no response at all. */
export class NoResponse extends RuleBroken {}
