import { median, percentile } from '../../lab/percentile.ts';

export interface Figure {
  id: string;
  name: string;
  unit: string;
  /**
   * The bound, and the side of it that is good. A figure without one is printed without a verdict.
   */
  budget?: number;
  direction?: 'at most' | 'at least';
  runs: number[];
  compared?: string;
}

export interface Scale {
  runs: number;
  seconds: number;
  stored: number;
}

/** Prints the figures as one table and returns true if every budget held. */
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
      ? `${round(percentile(figure.runs, 0.25))}–${round(percentile(figure.runs, 0.75))} in ${figure.runs.length} runs`
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
  if (figure.budget === undefined) return 'no budget';
  return isMissed(figure) ? 'MISSED' : 'held';
}

/** A budget is missed only if the better quarter of the runs misses it, since machines drift. */
function isMissed({ budget, direction, runs }: Figure): boolean {
  if (budget === undefined) return false;
  return direction === 'at most'
    ? percentile(runs, 0.25) > budget
    : percentile(runs, 0.75) < budget;
}

function round(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(value < 10 ? 2 : 1);
}
