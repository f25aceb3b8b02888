import { configure } from '@service-pay/widget';
import '@service-pay/widget/define';
import type {} from '@service-pay/widget/jsx';
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';

import { logEvent, makeReference } from './event-log.js';

const root = document.getElementById('root')!;
const { serviceUrl = '', publicKey = '' } = root.dataset;

configure({ serviceUrl });

function Checkout() {
  const [reference, setReference] = useState(makeReference);
  const [amount, setAmount] = useState('10.75');

  return (
    <>
      <label>
        Amount in ZMW
        <input
          value={amount}
          inputMode="decimal"
          autoComplete="off"
          onChange={({ target }) => setAmount(target.value)}
        />
      </label>
      <service-pay
        public-key={publicKey}
        email="ada@example.com"
        reference={reference}
        amount={amount}
        currency="ZMW"
        customer={{ firstName: 'Ada', lastName: 'Banda' }}
        onservice-pay-success={(event) => {
          logEvent('service-pay-success', event.reference);
          setReference(makeReference()); // the next press is a new payment
        }}
        onservice-pay-close={() => logEvent('service-pay-close')}
        onservice-pay-confirmation-pending={() => logEvent('service-pay-confirmation-pending')}
        onservice-pay-error={({ error }) => logEvent(error.code, error.message)}
      />
    </>
  );
}

createRoot(root).render(
  <StrictMode>
    <Checkout />
  </StrictMode>,
);
