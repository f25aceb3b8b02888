const { startSandbox } = require('@service-pay/sandbox');

let sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

test('an order nobody paid is not verified', async () => {
  const response = await fetch(`${sandbox.url}/access/v2/collections/status/order-1`, {
    headers: { authorization: 'Bearer sec_sandbox_demo' },
  });

  expect(response.status).toBe(404);
});
