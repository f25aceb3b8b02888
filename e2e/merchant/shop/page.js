const status = document.querySelector('[role=status]');
let order; // the same until it is paid: an order at each press could be paid twice

document.querySelector('button').addEventListener('click', async () => {
  status.textContent = '';
  order ??= await (await fetch('/orders', { method: 'POST' })).json();
  const { outcome } = await ServicePay.getPaid({
    ...order,
    locale: new URLSearchParams(location.search).get('locale') ?? undefined,
  }).result;
  if (outcome === 'closed') status.textContent = 'You have not paid.';
  else await showState(order.reference);
});

/**
 * Shows what the shop's own server knows once it has polled the service, and polls again while that is
 * not known yet.
 */
async function showState(reference) {
  status.dataset.reference = reference;
  const response = await fetch(`/orders/${reference}`, { method: 'POST' });
  const { state } = response.ok ? await response.json() : {};
  if (state === 'paid') order = undefined;
  status.textContent =
    state === 'paid' ? 'Thank you. Your order is paid.' : 'We are checking your payment.';
}
