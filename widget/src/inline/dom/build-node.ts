/**
 * Builds an element. The page's side has too few nodes for a template library, which would also
 * need a Trusted Types policy (D24, T16).
 */
export function buildNode<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const node = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) node.setAttribute(attribute, value);
  append(node, ...children);
  return node;
}

/** Appends nodes without `Element.prototype.append`, which a page may have replaced (T126). */
export function append(parent: Node, ...children: (Node | string)[]): void {
  for (const child of children)
    parent.appendChild(typeof child === 'string' ? document.createTextNode(child) : child);
}

/**
 * Removes a node, if it is in a tree. Prototype.js replaces `Element.prototype.remove` by a
 * function that throws for other nodes (T126).
 */
export function remove(node: Node | undefined): void {
  node?.parentNode?.removeChild(node);
}
