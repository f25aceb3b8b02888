/**
 * What a card's first digits tell: its brand's name, where the gaps stand, how long number and
 * security code are.
 */
export interface CardBrand {
  name: string;
  gaps: readonly number[];
  lengths: readonly number[];
  codeLength: number;
}

let findTypes: typeof import('./brand-table.ts').findTypes | undefined;

/**
 * Fetches the table of brands; undefined where it is there already. Nothing need wait for it:
 * without it every brand is unknown, and a card can still be paid with, since the service knows its
 * cards. A fetch that failed is made again by the next call.
 */
export function loadBrands(): Promise<void> | undefined {
  if (findTypes) return undefined;
  return import('./brand-table.ts').then((types) => {
    findTypes = types.findTypes;
  });
}

/** The brand that some first digits leave as the only one, or undefined. */
export function findBrand(digits: string): CardBrand | undefined {
  const [match, ...others] = (digits && findTypes?.(digits)) || [];
  return match && !others.length
    ? {
        name: match.niceType,
        gaps: match.gaps,
        lengths: match.lengths,
        codeLength: match.code.size,
      }
    : undefined;
}
