export const REQUEST = {
  key: 'pub_sandbox_demo',
  email: 'mary@example.com',
  reference: 'order-1042',
  amount: '10.00',
  currency: 'ZMW',
};
