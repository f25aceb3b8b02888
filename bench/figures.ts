/** One line of the table: what was measured, against what it may be at most (or at least). */
export interface Figure {
  id: string;
  name: string;
  unit: string;
  /** The bound, and which side of it is good. A figure without one is told without a verdict. */
  budget?: number;
  direction?: 'at most' | 'at least';
  /** One value per run; a size has one. */
  runs: number[];
  /** The two values that a ratio compares, in words. */
  compared?: string;
}

/** How much is measured: all of it, or just enough to see that the bench works. */
export interface Scale {
  runs: number;
  /** How long one load on the template lasts. */
  seconds: number;
  /** Orders in the large database. */
  stored: number;
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

/** Prints the figures as one table and says whether every budget held. */
export function printFigures(figures: readonly Figure[]): boolean {
  const rows = figures.map((figure) => [
    figure.id,
    figure.name,
    figure.unit,
    figure.budget === undefined
      ? ''
      : `${figure.direction === 'at most' ? '≤' : '≥'} ${figure.budget}`,
    round(median(figure.runs)),
    verdict(figure),
    figure.runs.length > 1
      ? `${round(quantile(figure.runs, 0.25))}–${round(quantile(figure.runs, 0.75))} in ${figure.runs.length} runs`
      : '',
    figure.compared ?? '',
  ]);
  const head = ['', 'figure', 'unit', 'budget', 'measured', 'verdict', 'quartiles', 'compared'];
  const table = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
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
  if (figure.budget === undefined) return 'told';
  return isMissed(figure) ? 'MISSED' : 'held';
}

/** A budget is missed only when the better quarter of the runs misses it, since machines drift. */
function isMissed({ budget, direction, runs }: Figure): boolean {
  if (budget === undefined) return false;
  return direction === 'at most' ? quantile(runs, 0.25) > budget : quantile(runs, 0.75) < budget;
}

function round(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(value < 10 ? 2 : 1);
}
