/** Adds a line to the list of events in the section that a node is part of. */
export function log(node: Element, ...words: (string | undefined)[]): void {
  node.closest('section')?.querySelector('[role=log]')?.append(words.join(' '), '\n');
}
