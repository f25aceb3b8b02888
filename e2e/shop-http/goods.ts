import type { CatalogueItem, readCatalogue as readYours } from '@service-pay/bff-example/catalogue';
import type { Cart } from '@service-pay/bff-example/orders';
import type { Fulfil } from '@service-pay/server';

const GOODS: readonly CatalogueItem[] = [
  {
    sku: 'cloth',
    name: 'Cloth, two yards',
    description: 'Cotton print',
    price: '185.00',
    currency: 'ZMW',
  },
  { sku: 'honey-500', name: 'Honey, 500 g', description: 'Raw', price: '92.50', currency: 'ZMW' },
  {
    sku: 'coffee-250',
    name: 'Coffee, 250 g',
    description: 'Whole beans',
    price: '138.75',
    currency: 'ZMW',
  },
  {
    sku: 'basket-m',
    name: 'Basket, medium',
    description: 'Woven',
    price: '420.00',
    currency: 'ZMW',
  },
];

export const readCatalogue: typeof readYours = async () => GOODS;

export const fulfil: Fulfil<Cart> = async (order, { log }) => {
  log.info({ reference: order.reference, lines: order.data.lines.length }, 'goods shipped');
};
