// @ts-check
// The page a customer comes back to. It reads the reference of its address, and nothing else there.

import { checkPayment } from './payment-result.js';

checkPayment(new URLSearchParams(location.search).get('reference') ?? '');
