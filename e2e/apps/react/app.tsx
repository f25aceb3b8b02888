import { configure, getPaid } from '@service-pay/widget';
import '@service-pay/widget/define';
import type {} from '@service-pay/widget/jsx';
import { useEffect, useState, useSyncExternalStore } from 'react';

import { describe, openShop, PRODUCTS, serviceUrl } from '../shop.ts';

configure({ serviceUrl });

const { flow, order, buyBoth, buyAnother } = openShop(getPaid);

export function App() {
  const [isOpen, setOpen] = useState(true);
  const [error, setError] = useState('');
  const state = useFlow();

  return (
    <main>
      <h1>Corner shop</h1>
      <label>
        <input type="checkbox" checked={isOpen} onChange={() => setOpen(!isOpen)} /> Open
      </label>
      {isOpen &&
        PRODUCTS.map(({ sku, name }) => (
          <ShopItem key={sku} sku={sku} name={name} showError={setError} />
        ))}
      <button type="button" onClick={buyBoth}>
        Buy both
      </button>
      <p role="status">{describe(state) || error}</p>
      <button type="button" hidden={!state.can.resume} onClick={flow.resume}>
        Continue
      </button>
      <button type="button" hidden={!state.can.payAgain} onClick={flow.payAgain}>
        Try again
      </button>
      <button type="button" hidden={!state.asks} onClick={buyAnother}>
        Place a second order
      </button>
    </main>
  );
}

function useFlow() {
  useEffect(() => {
    void flow.start();
    return flow.stop;
  }, []);
  const read = () => flow.state;
  return useSyncExternalStore(flow.subscribe, read, read);
}

function ShopItem({
  sku,
  name,
  showError,
}: {
  sku: string;
  name: string;
  showError: (code: string) => void;
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
        prepare={order({ sku, quantity })}
        onservice-pay-error={({ error }) => showError(error.code)}
      >
        <button type="button">Buy {name}</button>
      </service-pay>
    </fieldset>
  );
}

/**
 * Returns false while React hydrates. React 19.3 sets functions on an element that it creates, but
 * not on one that it hydrates: with another key it creates the element again. Pages without server
 * rendering need none of this.
 */
function useTakenOver(): boolean {
  return useSyncExternalStore(
    () => () => {},
    () => true,
    () => false,
  );
}
