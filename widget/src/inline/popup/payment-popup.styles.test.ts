import { expect } from '@open-wc/testing';
import fc from 'fast-check';

import { popupStyles } from './payment-popup.styles.ts';

const TRIES_OF_THE_WORST = [
  'rgb(165 0 250)',
  'rgb(0 119 211)',
  'rgb(0 127 165)',
  'rgb(193 5 250)',
  'rgb(234 0 3)',
  'rgb(4 110 254)',
  'rgb(0 0 255)',
  'rgb(0 255 0)',
  'rgb(255 255 0)',
  '#000',
  '#fff',
];

describe('the dialog of the page', () => {
  let host: HTMLElement;
  let button: HTMLElement;
  let close: HTMLElement;

  beforeEach(() => {
    host = document.body.appendChild(document.createElement('div'));
    const root = host.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [popupStyles.styleSheet!];
    const dialog = root.appendChild(document.createElement('dialog'));
    const notice = dialog.appendChild(document.createElement('div'));
    notice.className = 'notice';
    button = notice.appendChild(document.createElement('button'));
    close = dialog.appendChild(document.createElement('button'));
    close.className = 'close';
    dialog.showModal();
  });
  afterEach(() => host.remove());

  it('the dialog of the page has text on its button and a ring around what has the focus that can be seen in any accent', () => {
    const check = (accent: string) => {
      host.style.setProperty('--service-pay-accent', accent);
      button.focus();
      const { color, backgroundColor, outlineColor } = getComputedStyle(button);
      const [text, fill, ring] = [color, backgroundColor, outlineColor].map(luminanceOf) as [
        number,
        number,
        number,
      ];

      expect(contrast(text, fill), `text on ${accent}`).to.be.at.least(4.5);
      for (const page of ['#fff', '#15191c'])
        expect(contrast(ring, luminanceOf(page)), `ring of ${accent} on ${page}`).to.be.at.least(3);
    };
    TRIES_OF_THE_WORST.forEach(check);
    const byte = fc.nat(255);
    fc.assert(
      fc.property(byte, byte, byte, (red, green, blue) => check(`rgb(${red} ${green} ${blue})`)),
    );
  });

  it('the dialog of the page keeps targets of 44 pixels and more', () => {
    for (const target of [button, close]) {
      const { width, height } = target.getBoundingClientRect();
      expect(Math.min(width, height)).to.be.at.least(44);
    }
  });
});

/** Returns the relative luminance of a colour as an sRGB screen shows it (WCAG 2.2). */
function luminanceOf(colour: string): number {
  const probe = document.body.appendChild(document.createElement('div'));
  probe.style.color = `color-mix(in srgb-linear, ${colour}, ${colour})`;
  const [red, green, blue] = getComputedStyle(probe)
    .color.match(/-?[\d.]+(?:e[+-]?\d+)?/g)!
    .slice(-3)
    .map((part) => Math.min(1, Math.max(0, Number(part)))) as [number, number, number];
  probe.remove();
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}
