/** One line of the table: what was measured, against what it may be at most (or at least). */
export interface Figure {
  id: string;
  name: string;
  unit: string;
  /** The bound, and which side of it is good. A figure without one is told for information. */
  budget?: number;
  direction?: 'at most' | 'at least';
  /** One value per run; a size has one. */
  runs: number[];
  /** What the figure was compared with, in words. */
  floor?: string;
}

/** The middle value; of an even number the mean of the two middle ones. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which this part of the values lies, between neighbours in proportion. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = Float64Array.from(values).sort();
  const at = (sorted.length - 1) * part;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  // where both are infinite there is nothing between them
  return low === high ? low : low + (high - low) * (at - Math.floor(at));
}

/** A budget is missed only when the better quartile of the runs misses it, since machines drift. */
export function isMissed({ budget, direction, runs }: Figure): boolean {
  if (budget === undefined) return false;
  return direction === 'at most' ? quantile(runs, 0.25) > budget : quantile(runs, 0.75) < budget;
}

/** Prints the figures as one table and says whether every budget held. */
export function printFigures(figures: readonly Figure[]): boolean {
  const rows = figures.map((figure) => [
    figure.id,
    figure.name,
    figure.budget === undefined
      ? ''
      : `${figure.direction === 'at most' ? '≤' : '≥'} ${figure.budget} ${figure.unit}`,
    `${round(median(figure.runs))} ${figure.unit}`,
    figure.runs.length > 1
      ? `${round(quantile(figure.runs, 0.25))}–${round(quantile(figure.runs, 0.75))}, ${figure.runs.length} runs`
      : 'exact',
    verdict(figure),
    figure.floor ?? '',
  ]);
  const table = [['', 'figure', 'budget', 'measured', 'quartiles', 'verdict', 'against'], ...rows];
  const widths =
    table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of table)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  return !figures.some(isMissed);
}

function verdict(figure: Figure): string {
  if (figure.budget === undefined) return 'for information';
  return isMissed(figure) ? 'MISSED' : 'held';
}

function round(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(value < 10 ? 2 : 1);
}
