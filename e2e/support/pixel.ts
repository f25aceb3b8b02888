import type { Page } from '@playwright/test';

/** Returns the colour of one pixel as it is on the screen. */
export async function colourAt(page: Page, x: number, y: number): Promise<string> {
  const picture = await page.screenshot({ clip: { x, y, width: 1, height: 1 } });
  // In a document whose policy allows it.
  const reader = await page.context().newPage();
  const colour = await reader.evaluate(
    async (bytes) => {
      const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
      const canvas = new OffscreenCanvas(1, 1).getContext('2d')!;
      canvas.drawImage(bitmap, 0, 0);
      return `rgb(${[...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)].join(', ')})`;
    },
    [...picture],
  );
  await reader.close();
  return colour;
}
