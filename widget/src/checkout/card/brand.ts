/**
 * What a card's first digits tell: its brand by the contract's name, where the gaps stand, how long
 * number and security code are.
 */
export interface CardBrand {
  type: string;
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
        type: match.type,
        gaps: match.gaps,
        lengths: match.lengths,
        codeLength: match.code.size,
      }
    : undefined;
}

/**
 * The brands to show beside a number: every accepted one before it is typed, then those it may
 * still be of, and its own once that is known.
 */
export function brandsToShow(digits: string, accepted: readonly string[]): readonly string[] {
  const brand = findBrand(digits);
  if (brand) return [brand.type];
  const fitting = digits && findTypes?.(digits).map(({ type }) => type as string);
  return fitting ? accepted.filter((each) => fitting.includes(each)) : accepted;
}

/** How many digits make a number of a brand complete. Numbers of 19 digits are rare at Visa. */
export function fullLengthOf({ type, lengths }: CardBrand): number {
  return type === 'visa' ? 16 : Math.max(...lengths);
}
