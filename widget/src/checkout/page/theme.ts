export type Rgb = readonly [number, number, number];

/** The surface of each palette on which a line is hardest to see: `--soft`. */
const SURFACES: readonly { suffix: string; surface: Rgb }[] = [
  { suffix: '', surface: [0.949, 0.957, 0.961] },
  { suffix: '-dark', surface: [0.125, 0.149, 0.165] },
];

const WHITE: Rgb = [1, 1, 1];
const BLACK: Rgb = [0, 0, 0];

/** The 3 : 1 of WCAG 1.4.11, and as much more as a tint of the same colour takes from it. */
const BOUNDARY_CONTRAST = 3.1;

const MOST_RADIUS = 24;

/**
 * Returns the frame's custom properties for a page's theme. Parses every value, passes nothing
 * through except font names, and drops the rest (T22). An accent fills buttons as it is, with black
 * or white text, whichever reads better, and moves away from that text on hover; lines, rings and
 * signs use the shade of it that has enough contrast on each palette.
 */
export function parseTheme(
  theme: Readonly<Record<string, unknown>>,
  probe: HTMLElement,
): Record<string, string> {
  const properties: Record<string, string> = {};
  const accent = findColour(theme['accent'], probe);
  if (accent) {
    properties['--theme-fill'] = toCss(accent);
    const isDark = contrast(accent, WHITE) >= contrast(accent, BLACK);
    properties['--theme-on-fill'] = isDark ? '#fff' : '#000';
    properties['--theme-shade'] = isDark ? '#000' : '#fff';
    for (const { suffix, surface } of SURFACES)
      properties[`--theme-line${suffix}`] = toCss(standOut(accent, surface));
  }
  const radius = findRadius(theme['radius']);
  if (radius !== undefined) properties['--theme-radius'] = `${radius}px`;
  const font = findFont(theme['font']);
  if (font) properties['--theme-font'] = font;
  return properties;
}

export function contrast(one: Rgb, other: Rgb): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [
    number,
    number,
  ];
  return (lighter + 0.05) / (darker + 0.05);
}

/**
 * Returns the nearest shade of a colour, towards black or white, with enough contrast on a surface;
 * in whole bytes, as it is drawn.
 */
export function standOut(colour: Rgb, surface: Rgb): Rgb {
  const goal = luminance(surface) > 0.5 ? BLACK : WHITE;
  let shade = toBytes(colour);
  for (let part = 0; part <= 1 && contrast(shade, surface) < BOUNDARY_CONTRAST; part += 0.05)
    shade = toBytes(mix(colour, goal, part));
  return shade;
}

export function findRadius(value: unknown): number | undefined {
  const found =
    typeof value === 'string'
      ? /^([0-9]{1,4}(?:\.[0-9]{1,4})?)(px|rem|em)?$/.exec(value.trim())
      : undefined;
  if (!found || (!found[2] && Number(found[1]) !== 0)) return undefined;
  return Math.min(Number(found[1]) * (found[2] === 'px' ? 1 : 16), MOST_RADIUS);
}

export function findFont(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > 200) return undefined;
  const names = value.split(',').map((name) => name.trim());
  return names.every((name) =>
    /^(?:[\p{L}\p{N}_ -]+|"[\p{L}\p{N}_ -]+"|'[\p{L}\p{N}_ -]+')$/u.test(name),
  )
    ? names.join(', ')
    : undefined;
}

function findColour(value: unknown, probe: HTMLElement): Rgb | undefined {
  if (
    typeof value !== 'string' ||
    !/^[#a-z0-9(),.%/\s+-]{1,64}$/i.test(value) ||
    !CSS.supports('color', value)
  )
    return undefined;
  probe.style.color = `color-mix(in srgb, ${value}, ${value})`;
  const computed = probe.style.color && getComputedStyle(probe).color;
  probe.style.removeProperty('color');
  const found = /^color\(srgb ([0-9.e-]+) ([0-9.e-]+) ([0-9.e-]+)\)$/.exec(computed);
  return found
    ? (found.slice(1).map((part) => Math.min(1, Math.max(0, Number(part)))) as unknown as Rgb)
    : undefined;
}

function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  ) as unknown as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function mix(one: Rgb, other: Rgb, part: number): Rgb {
  return one.map((value, index) => value + (other[index]! - value) * part) as unknown as Rgb;
}

function toBytes(colour: Rgb): Rgb {
  return colour.map((part) => Math.round(part * 255) / 255) as unknown as Rgb;
}

function toCss(colour: Rgb): string {
  return `rgb(${colour.map((part) => Math.round(part * 255)).join(' ')})`;
}
