import type { ServicePayElement } from '@service-pay/widget';
import { loadServicePay } from '@service-pay/widget/loader';

import { describe, openShop, PRODUCTS, serviceUrl } from '../shop.ts';

// The service's own script: it defines <service-pay> and the global, and knows where its service
// is.
void loadServicePay(`${serviceUrl}/js/v1/inline.js`);

const find = <Found extends Element>(selector: string, from: ParentNode = document): Found =>
  from.querySelector<Found>(selector)!;
const products = find('#products');
const { flow, order, buyBoth, buyAnother } = openShop();
let code = '';

find('#open').addEventListener('change', ({ target }) =>
  showProducts((target as HTMLInputElement).checked),
);
find('#both').addEventListener('click', buyBoth);
find('#resume').addEventListener('click', flow.resume);
find('#again').addEventListener('click', flow.payAgain);
find('#second').addEventListener('click', buyAnother);
flow.subscribe(draw);
showProducts(true);
void flow.start();

function draw(): void {
  const { asks, can } = flow.state;
  find('[role=status]').textContent = describe(flow.state) || code;
  find<HTMLElement>('#resume').hidden = !can.resume;
  find<HTMLElement>('#again').hidden = !can.payAgain;
  find<HTMLElement>('#second').hidden = !asks;
}

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
  element.prepare = () => order({ sku, quantity: quantity.valueAsNumber })();
  element.addEventListener('service-pay-error', ({ error }) => {
    code = error.code;
    draw();
  });
  return product;
}
