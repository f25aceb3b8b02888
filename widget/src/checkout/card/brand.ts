/** The most digits any card has. */
const MOST_DIGITS = 19;

export interface CardBrand {
  type: string;
  gaps: readonly number[];
  lengths: readonly number[];
  codeLength: number;
}

let findTypes: typeof import('./brand-table.ts').findTypes | undefined;

/**
 * Loads the table of brands; undefined if it is loaded. Without it every brand is unknown, and a
 * card can still be used, since the service knows its cards. The next call retries a failed load.
 */
export function loadBrands(): Promise<void> | undefined {
  if (findTypes) return undefined;
  return import('./brand-table.ts').then((types) => {
    findTypes = types.findTypes;
  });
}

/** Returns the only brand that these first digits allow. */
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
 * Returns the brands to show beside a number: every accepted one, then those it may still be, then
 * its own.
 */
export function brandsToShow(digits: string, accepted: readonly string[]): readonly string[] {
  const brand = findBrand(digits);
  if (brand) return [brand.type];
  const fitting = digits && findTypes?.(digits).map(({ type }) => type as string);
  return fitting ? accepted.filter((each) => fitting.includes(each)) : accepted;
}

/**
 * Returns the length at which a number with these digits is complete. Visa numbers of 19 digits are
 * rare.
 */
export function fullLengthOf(digits: string): number {
  const { type, lengths = [MOST_DIGITS] } = findBrand(digits) ?? {};
  return type === 'visa' ? 16 : Math.max(...lengths);
}
