/** A result and, if it is a problem, what to do. */
export type Finding = readonly [found: string, todo?: string];
