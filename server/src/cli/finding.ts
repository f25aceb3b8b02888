/** A sentence about what was found, and one that says what to do if it is a problem. */
export type Finding = readonly [found: string, todo?: string];
