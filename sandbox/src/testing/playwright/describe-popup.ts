import type { FrameLocator, Locator } from '@playwright/test';
import type { Language } from '@service-pay/contract/languages';

import { namesOf } from './names.ts';

interface PopupParts {
  readonly dialog: Locator;
  readonly frame: FrameLocator;
  readonly alert: Locator;
  readonly payButton: Locator;
}

/** Tells what the popup shows, as the end of a sentence about a step that failed. */
export async function describePopup(
  { dialog, frame, alert, payButton }: PopupParts,
  { hasSucceeded, languages }: { hasSucceeded: boolean; languages: readonly Language[] },
): Promise<string> {
  const isGone = (await dialog.count()) === 0;
  if (hasSucceeded)
    return `the popup said “${namesOf('successTitle', languages)[0]}”${isGone ? ' and has gone' : ''}`;
  if (isGone) return 'there is no popup on the page';
  const [language] = await textsOf(frame.locator('html'), 'lang');
  const notes = await textsOf(frame.locator('[aria-invalid="true"]'), 'aria-describedby');
  const said = [
    ...(await textsOf(dialog.getByRole('alert'))),
    ...(await textsOf(frame.getByRole('heading'))),
    ...(await textsOf(alert)),
    ...(notes.length ? await textsOf(frame.locator(notes.map((id) => `#${id}`).join(', '))) : []),
    ...(await textsOf(payButton)),
  ];
  const spoken =
    language && !languages.includes(language as Language)
      ? `, in “${language}”. Set locale to it`
      : '';
  return said.length
    ? `the popup says ${said.map((text) => `“${text}”`).join(', ')}${spoken}`
    : `the popup says nothing yet${spoken}`;
}

async function textsOf(locator: Locator, attribute?: string): Promise<string[]> {
  const texts = await locator
    .filter({ visible: true })
    .evaluateAll(
      (nodes, name) =>
        nodes.map((node) => (name ? node.getAttribute(name) : node.textContent)) as (
          | string
          | null
        )[],
      attribute,
    )
    .catch(() => []);
  return texts.flatMap((text) => text?.replace(/\s+/g, ' ').trim() || []);
}
