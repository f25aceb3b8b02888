import type { CardBrand, Network } from '@service-pay/contract/checkout-api';
import {
  css,
  html,
  LitElement,
  nothing,
  type SVGTemplateResult,
  svg,
  type TemplateResult,
} from 'lit';
import { isLogo } from './icons.ts';
import { reactive } from './reactive.ts';

/** Our own drawings of card brands, 30 by 20, by the contract's names. */
const BRANDS: Readonly<
  Record<CardBrand, { name: string; ground: string; sign: SVGTemplateResult }>
> = {
  visa: { name: 'Visa', ground: '#1a1f71', sign: letters('VISA', '#fff', true) },
  mastercard: { name: 'Mastercard', ground: '#fff', sign: circles('#eb001b', '#f79e1b') },
  'american-express': { name: 'American Express', ground: '#016fd0', sign: letters('AMEX') },
  'diners-club': { name: 'Diners Club', ground: '#fff', sign: circles('#0079be', '#9fb4c0') },
  discover: { name: 'Discover', ground: '#fff', sign: letters('DISC', '#b34e00') },
  jcb: { name: 'JCB', ground: '#0b5aa8', sign: letters('JCB') },
  unionpay: { name: 'UnionPay', ground: '#00707a', sign: letters('UP', '#fff', true) },
  maestro: { name: 'Maestro', ground: '#fff', sign: circles('#eb001b', '#00a2e5') },
  verve: { name: 'Verve', ground: '#00425f', sign: letters('verve') },
};

export function nameBrand(brand: string): string {
  return isDrawn(brand) ? BRANDS[brand].name : brand;
}

/** Returns whether we know a brand that a service named. */
function isDrawn(brand: string): brand is CardBrand {
  return Object.hasOwn(BRANDS, brand);
}

export const networkStyles = css`
  .network {
    align-items: center;
    background: #5a666d;
    block-size: 20px;
    border-radius: 6px;
    color: #fff;
    display: flex;
    flex: none;
    font: 800 11px Arial, sans-serif;
    inline-size: 20px;
    justify-content: center;
    pointer-events: none;
  }
  .network::before {
    content: attr(data-initial);
    content: attr(data-initial) / '';
  }
  img.network {
    background: none;
    object-fit: contain;
  }
  .mtn {
    background: #ffcb05;
    color: #111;
  }
  .airtel {
    background: #d70000;
  }
  .zamtel {
    background: #00843d;
  }
  .tnm {
    background: #5b2a86;
  }
  @media (forced-colors: active) {
    .network {
      border: 1px solid;
    }
  }
`;

/** The network's logo, or its first letter. */
export function renderNetworkMark({ operator, name, logo }: Network): TemplateResult {
  if (isLogo(logo)) return html`<img class="network" src=${logo} alt="" />`;
  return html`<i class="network ${operator}" data-initial=${name.slice(0, 1)} aria-hidden="true"></i>`;
}

/**
 * A row of card brands. Shows nothing before its file has loaded, or for a brand without a drawing.
 */
export class CardMarks extends LitElement {
  static override styles = css`
    /* Shows as many as leave room for the number: the others wrap out of sight. */
    :host {
      block-size: 22px;
      display: flex;
      flex-wrap: wrap;
      gap: 4px;
      justify-content: end;
      max-inline-size: calc(100vw - 66px - 17.5ch);
      overflow: hidden;
    }
    /* Lets the first one wrap, too. */
    :host::before {
      content: '';
      margin-inline-end: -4px;
    }
    svg {
      block-size: 22px;
      flex: none;
      inline-size: 33px;
    }
  `;

  @reactive brands: readonly string[] = [];

  protected override render(): unknown {
    return this.brands.map((brand) => {
      if (!isDrawn(brand)) return nothing;
      const { name, ground, sign } = BRANDS[brand];
      return html`<svg role="img" aria-label=${name} viewBox="0 0 30 20"
        ><rect x=".5" y=".5" width="29" height="19" rx="3"
          fill=${ground} stroke="#7f8a91" stroke-opacity=".5" />${sign}</svg>`;
    });
  }
}

customElements.define('card-marks', CardMarks);

function letters(text: string, colour = '#fff', isSlanted = false): SVGTemplateResult {
  return svg`<text x="15" y="13.5" text-anchor="middle"
    font-family="Arial, sans-serif" font-size="9" font-weight="800"
    font-style=${isSlanted ? 'italic' : 'normal'} fill=${colour}>${text}</text>`;
}

function circles(left: string, right: string): SVGTemplateResult {
  return svg`<circle cx="12" cy="10" r="5.5" fill=${left}
    /><circle cx="18" cy="10" r="5.5" fill=${right} fill-opacity=".85" />`;
}
