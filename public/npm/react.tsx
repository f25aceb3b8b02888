import type {} from '@service-pay/widget/jsx';
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';

import { log } from './log.ts';

const root = document.getElementById('root')!;

function Checkout() {
  const [reference, setReference] = useState(() => crypto.randomUUID());
  const [amount, setAmount] = useState('10.75');

  return (
    <>
      <label>
        Amount in ZMW
        <input
          value={amount}
          inputMode="decimal"
          autoComplete="off"
          onChange={({ target }) => {
            setAmount(target.value);
            setReference(crypto.randomUUID()); // another amount is another order
          }}
        />
      </label>
      <service-pay
        public-key="pub_sandbox_demo"
        email="ada@example.com"
        reference={reference}
        amount={amount}
        currency="ZMW"
        customer={{ firstName: 'Ada', lastName: 'Banda' }}
        onservice-pay-success={(event) => {
          log(root, event.type, event.reference);
          setReference(crypto.randomUUID()); // the next press is a new payment
        }}
        onservice-pay-close={({ type }) => log(root, type)}
        onservice-pay-confirmation-pending={({ type }) => log(root, type)}
        onservice-pay-error={({ error }) => log(root, error.message)}
      />
    </>
  );
}

createRoot(root).render(
  <StrictMode>
    <Checkout />
  </StrictMode>,
);
