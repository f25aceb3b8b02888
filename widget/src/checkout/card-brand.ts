/** What a card's first digits tell: its brand's name, where the gaps stand, how long number and security code are. */
export interface CardBrand {
  name: string;
  gaps: readonly number[];
  lengths: readonly number[];
  codeLength: number;
}

let findTypes: typeof import('./card-types.ts').findTypes | undefined;

/**
 * Fetches the table of brands, which a form that can be typed into need not wait for. Without it every brand is unknown,
 * and a card can still be paid with: the service knows its cards.
 */
export async function loadBrands(): Promise<void> {
  ({ findTypes } = await import('./card-types.ts'));
}

/** The brand that some first digits leave as the only one, or undefined. */
export function findBrand(digits: string): CardBrand | undefined {
  const [match, ...others] = (digits && findTypes?.(digits)) || [];
  return match && !others.length
    ? { name: match.niceType, gaps: match.gaps, lengths: match.lengths, codeLength: match.code.size }
    : undefined;
}
