const NUMBER = String.raw`(?:(?:specification|section) \d[\d.]*|[DTUFB][1-9]\d{0,2})`;

/** A remark in brackets that begins with a private number, also at the start of a comment's line. */
const REMARK = new RegExp(String.raw`(?:(?:\n *\*)? |\n)\(${NUMBER}\b[^()]*\)`, 'g');

/** Private numbers at the end of a remark that says more. */
const LAST = new RegExp(String.raw`[,;](?:\n *\*)? ${NUMBER}(?=\))`, 'g');

/**
 * Removes the numbers of sections and decisions, which mean nothing outside this project, from text
 * that merchants read.
 */
export function withoutNumbers(text: string): string {
  return text.replace(REMARK, '').replace(LAST, '');
}
