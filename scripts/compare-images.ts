import type { Page } from 'playwright-core';

/** How two pictures differ: the share of pixels that do, from 0 to 1, and a PNG that shows them. */
export interface ImageDifference {
  share: number;
  picture: Buffer;
}

/**
 * Compares two PNGs pixel by pixel on a canvas of a page, which need not show anything. Undefined where all are the same; a pixel that only one of
 * them has is a difference. Differences are red over a pale copy of the second.
 */
export async function compareImages(page: Page, before: Buffer, after: Buffer): Promise<ImageDifference | undefined> {
  if (before.equals(after)) return undefined;
  const { share, picture } = await page.evaluate(compareOnCanvas, [before.toString('base64'), after.toString('base64')] as const);
  return share ? { share, picture: Buffer.from(picture, 'base64') } : undefined;
}

/** Runs in the page, so it uses nothing from outside. */
async function compareOnCanvas([before, after]: readonly [string, string]): Promise<{ share: number; picture: string }> {
  const open = (base64: string) => createImageBitmap(new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))]));
  const images = [await open(before), await open(after)] as const;
  const width = Math.max(...images.map((image) => image.width));
  const height = Math.max(...images.map((image) => image.height));
  const [one, other] = images.map((image) => {
    const context = new OffscreenCanvas(width, height).getContext('2d')!;
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, width, height);
  }) as [ImageData, ImageData];

  const result = new OffscreenCanvas(width, height);
  const context = result.getContext('2d')!;
  const drawn = context.createImageData(width, height);
  let different = 0;
  for (let at = 0; at < drawn.data.length; at += 4) {
    const isSame = [0, 1, 2, 3].every((channel) => one.data[at + channel] === other.data[at + channel]);
    if (!isSame) different += 1;
    const paled = [0, 1, 2].map((channel) => 255 - (255 - other.data[at + channel]!) / 4);
    drawn.data.set(isSame ? [...paled, 255] : [208, 0, 32, 255], at);
  }
  context.putImageData(drawn, 0, 0);
  const bytes = new Uint8Array(await (await result.convertToBlob()).arrayBuffer());
  return { share: different / (width * height), picture: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')) };
}
