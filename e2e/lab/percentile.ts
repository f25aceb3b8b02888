/**
 * Returns the smallest number that this share of the numbers does not exceed; Infinity for none.
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.POSITIVE_INFINITY;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}
