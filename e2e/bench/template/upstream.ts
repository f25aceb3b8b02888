import { createServer } from 'node:http';

/**
 * A payment service on the given port that responds at once, always with the given status, amount
 * and currency. `GET /calls` returns how often it was called, and when about each reference, in
 * milliseconds.
 */
const [port, amount, currency, status = 'successful'] = process.argv.slice(2);
const isCounting = status !== 'successful';
const times = new Map<string, number[]>();
let calls = 0;

const server = createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  const reference = request.url?.split('/').at(-1) ?? '';
  if (request.url === '/calls')
    return void response.end(JSON.stringify({ calls, times: Object.fromEntries(times) }));
  calls += 1;
  if (isCounting) times.set(reference, [...(times.get(reference) ?? []), performance.now()]);
  response.end(
    JSON.stringify({
      status: true,
      message: '',
      data: {
        id: '9c1d2f64-7a0e-4b7c-8e57-6a1f4b3d2c33',
        initiatedAt: '2026-03-12T07:06:11.562Z',
        completedAt: '2026-03-12T07:06:15.412Z',
        amount,
        fee: '0.25',
        bearer: 'merchant',
        currency,
        reference,
        serviceReference: '000000001',
        type: 'mobile-money',
        status,
        source: 'api',
        reasonForFailure: null,
        settlementStatus: null,
        settlement: null,
        mobileMoneyDetails: null,
        bankAccountDetails: null,
        cardDetails: null,
      },
    }),
  );
});
server.listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${port}`));
