import { configure, getPaid } from '@service-pay/widget';
import '@service-pay/widget/define';
import type {} from '@service-pay/widget/jsx';
import { useState, useSyncExternalStore } from 'react';

import { conclude, PRODUCTS, placeOrder, serviceUrl } from '../shop.ts';

configure({ serviceUrl });

export function App() {
  const [isOpen, setOpen] = useState(true);
  const [news, setNews] = useState('');

  async function buyBoth() {
    const order = await placeOrder(...PRODUCTS.map(({ sku }) => ({ sku, quantity: 1 })));
    setNews(await conclude((await getPaid(order).result).outcome));
  }

  return (
    <main>
      <h1>Corner shop</h1>
      <label>
        <input type="checkbox" checked={isOpen} onChange={() => setOpen(!isOpen)} /> Open
      </label>
      {isOpen &&
        PRODUCTS.map(({ sku, name }) => (
          <ShopItem key={sku} sku={sku} name={name} showNews={setNews} />
        ))}
      <button type="button" onClick={buyBoth}>
        Buy both
      </button>
      <p role="status">{news}</p>
    </main>
  );
}

function ShopItem({
  sku,
  name,
  showNews,
}: {
  sku: string;
  name: string;
  showNews: (news: string) => void;
}) {
  const [quantity, setQuantity] = useState(1);
  const isTakenOver = useTakenOver();

  return (
    <fieldset>
      <legend>{name}</legend>
      <input
        type="number"
        aria-label={`How many: ${name}`}
        value={quantity}
        onChange={({ target }) => setQuantity(target.valueAsNumber)}
      />
      <service-pay
        key={`${isTakenOver}`}
        public-key="pub_sandbox_demo"
        label={`${quantity} × ${name}`}
        prepare={() => placeOrder({ sku, quantity })}
        onservice-pay-success={async () => showNews(await conclude('success'))}
        onservice-pay-confirmation-pending={async () =>
          showNews(await conclude('confirmation-pending'))
        }
        onservice-pay-close={async () => showNews(await conclude('closed'))}
        onservice-pay-error={({ error }) => showNews(error.code)}
      >
        <button type="button">Buy {name}</button>
      </service-pay>
    </fieldset>
  );
}

/**
 * Returns false while React hydrates. React 19.3 sets functions on an element that it creates, but
 * not on one that it hydrates: with another key it creates the element anew. Pages without server
 * rendering need none of this.
 */
function useTakenOver(): boolean {
  return useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  );
}
