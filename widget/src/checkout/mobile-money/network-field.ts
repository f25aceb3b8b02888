import type { Network } from '@service-pay/contract/checkout-api';
import { css, html, nothing, type TemplateResult } from 'lit';
import type { Messages } from '../language/messages/all-words.ts';
import { type Action, renderButton } from '../parts/button.ts';
import { renderNote } from '../parts/field.ts';
import { warningIcon } from '../parts/icons.ts';
import { renderNetworkMark } from '../parts/marks.ts';

export const networkFieldStyles = css`
  .choices.tiles {
    grid-template-columns: repeat(auto-fit, minmax(min(100%, max(5.25em, 6.4ch)), 1fr));
  }
  .tiles .choice {
    flex-direction: column;
    font-size: 0.8125rem;
    gap: 4px;
    justify-content: center;
    min-block-size: 56px;
    padding-inline: 4px;
    text-align: center;
  }
  .tiles .chosen::after {
    inset-block-start: 8px;
    inset-inline-end: 8px;
    position: absolute;
  }
  [aria-invalid='true'] .choice {
    border-color: var(--wrong);
  }
  .trouble {
    color: var(--waiting);
    display: flex;
    gap: 6px;
    padding-block-start: 6px;
  }
  .trouble .icon {
    block-size: 16px;
    inline-size: 16px;
    margin-block-start: 1px;
  }
`;

/** Renders the networks to choose from. `detour` is a way around the chosen one. */
export function renderNetworkField(
  {
    words,
    networks,
    isSending,
  }: { words: Messages; networks: readonly Network[]; isSending: boolean },
  chosen: Network | undefined,
  problem: string | undefined,
  detour: Action | undefined,
  choose: (operator: string) => void,
): TemplateResult {
  const notice = noticeOf(words, chosen);
  return html`
    <fieldset
      role="radiogroup"
      aria-describedby="operator-note"
      aria-invalid=${problem ? 'true' : nothing}
      @focusin=${showNumber}
    >
      <legend>${words.network}</legend>
      <div class="choices tiles">
        ${networks.map(
          (network) => html`
            <label class=${network === chosen ? 'choice chosen' : 'choice'}>
              <input
                type="radio"
                name="operator"
                value=${network.operator}
                .checked=${network === chosen}
                ?disabled=${isSending && network !== chosen}
                @change=${() => choose(network.operator)}
              />
              ${renderNetworkMark(network)}<span>${network.name}</span>
            </label>
          `,
        )}
      </div>
      ${
        !problem && notice
          ? html`<p class="note trouble" id="operator-note">${warningIcon}${notice}</p>`
          : renderNote('operator-note', problem)
      }${detour ? renderButton({ ...detour, className: 'second offer', isIdle: !isSending }) : nothing}
    </fieldset>
  `;
}

/** Keeps the number in sight above an on-screen keyboard whose Next has led to the networks. */
function showNumber({ target }: Event): void {
  const network = target as Element;
  for (const each of [(network.getRootNode() as ShadowRoot).querySelector('#phone'), network])
    each?.scrollIntoView({ block: 'nearest' });
}

/** Returns what the service says of a network. */
export function noticeOf(
  words: Messages,
  { name, notice }: Partial<Network> = {},
): string | undefined {
  return name && (notice === 'slow' || notice === 'down')
    ? words.networkNotices[notice](name)
    : undefined;
}

/** Says how long a network usually takes: 1 s to 10 min, and nothing while it has trouble. */
export function durationOf(words: Messages, network?: Network): string {
  const seconds = network?.typicalSeconds ?? 0;
  return seconds >= 1 && seconds <= 600 && !noticeOf(words, network)
    ? ` ${words.usually(showDuration(seconds))}`
    : '';
}

/** Writes seconds, or whole minutes from two on, in the page's language. */
function showDuration(seconds: number): string {
  const isLong = seconds >= 120;
  return new Intl.NumberFormat(document.documentElement.lang, {
    style: 'unit',
    unit: isLong ? 'minute' : 'second',
    unitDisplay: 'long',
    numberingSystem: 'latn',
    maximumFractionDigits: 0,
  }).format(isLong ? seconds / 60 : seconds);
}
