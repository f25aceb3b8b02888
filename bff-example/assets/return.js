// @ts-check
// The return page: follows the payment that its address names.

import { createPaymentFlow } from '/assets/flow.js';
import { drawResult } from './result.js';

const flow = createPaymentFlow({ api: '/api' });
flow.subscribe(() => drawResult(flow));
flow.show(new URLSearchParams(location.search).get('reference') ?? '');
