import type { ServicePayElement } from '@service-pay/widget';
import { loadServicePay } from '@service-pay/widget/loader';

import { conclude, PRODUCTS, placeOrder, serviceUrl } from '../shop.ts';

// The service's own script: it defines <service-pay> and the global, and knows where its service
// is.
const loading = loadServicePay(`${serviceUrl}/js/v1/inline.js`);

const find = <Found extends Element>(selector: string, from: ParentNode = document): Found =>
  from.querySelector<Found>(selector)!;
const products = find('#products');
const showNews = (news: string): void => {
  find('[role=status]').textContent = news;
};

find('#open').addEventListener('change', ({ target }) =>
  showProducts((target as HTMLInputElement).checked),
);
find('#both').addEventListener('click', async () => {
  const ServicePay = await loading;
  const order = await placeOrder(...PRODUCTS.map(({ sku }) => ({ sku, quantity: 1 })));
  showNews(await conclude((await ServicePay!.getPaid(order).result).outcome));
});
showProducts(true);

function showProducts(isOpen: boolean): void {
  products.replaceChildren(...(isOpen ? PRODUCTS.map(buildProduct) : []));
}

function buildProduct({ sku, name }: (typeof PRODUCTS)[number]): Node {
  const product = document.importNode(find<HTMLTemplateElement>('#product').content, true);
  find('legend', product).textContent = name;
  const quantity = find<HTMLInputElement>('input', product);
  quantity.ariaLabel = `How many: ${name}`;
  const element = find<ServicePayElement>('service-pay', product);
  find('button', element).textContent = `Buy ${name}`;
  element.prepare = () => placeOrder({ sku, quantity: quantity.valueAsNumber });
  element.addEventListener('service-pay-success', async () => showNews(await conclude('success')));
  element.addEventListener('service-pay-confirmation-pending', async () =>
    showNews(await conclude('confirmation-pending')),
  );
  element.addEventListener('service-pay-close', async () => showNews(await conclude('closed')));
  element.addEventListener('service-pay-error', ({ error }) => showNews(error.code));
  return product;
}
