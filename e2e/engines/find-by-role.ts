/** The role and the start of the name that assistive technology reads. */
export interface Query {
  role: 'alert' | 'button' | 'dialog' | 'heading' | 'iframe' | 'radio' | 'textbox';
  name: string;
}

/**
 * Finds a visible element through open shadow roots. Runs in the browser, so it uses nothing from
 * outside.
 */
export function findByRole({ role, name }: Query): Element | undefined {
  const selectors = {
    alert: '[role=alert]',
    button: 'button',
    dialog: 'dialog[open]',
    heading: 'h1, h2, h3',
    iframe: 'iframe',
    radio: 'input[type=radio]',
    textbox: 'input:not([type=radio], [type=checkbox]), select',
  };
  const nameOf = (element: Element): string => {
    const { labels, title } = element as HTMLInputElement;
    return (element.ariaLabel ?? labels?.[0]?.textContent ?? (title || element.textContent) ?? '')
      .trim()
      .replace(/\s+/g, ' ');
  };
  const search = (root: Document | ShadowRoot): Element | undefined => {
    for (const element of root.querySelectorAll('*')) {
      if (
        element.matches(selectors[role]) &&
        element.checkVisibility({ visibilityProperty: true }) &&
        nameOf(element).startsWith(name)
      ) {
        return element;
      }
      const within = element.shadowRoot && search(element.shadowRoot);
      if (within) return within;
    }
    return undefined;
  };
  return search(document);
}
