// @ts-check
// The return page: follows the payment that its address names.

import { createPaymentFlow } from '/assets/flow.js';
import { drawResult } from './result.js';

const flow = createPaymentFlow({ api: '/api' });
flow.subscribe(() => {
  const { screen } = flow.state;
  if (screen === 'shop' || screen === 'unfinished') location.assign('/');
  else drawResult(flow);
});
flow.show(new URLSearchParams(location.search).get('reference') ?? '');
