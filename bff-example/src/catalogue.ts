// YOURS: what is sold and what it costs. Replace the items, or read them from where you keep them.

/**
 * Something the shop sells. `price` is a decimal with two places, in major units of `currency`.
 * Customers see every field at `/api/catalogue`, also those you add.
 */
export interface CatalogueItem {
  readonly sku: string;
  readonly name: string;
  readonly description: string;
  readonly price: string;
  readonly currency: string;
  /** The address of a picture about four to three, if there is one. */
  readonly picture?: string;
}

/**
 * Returns what can be ordered: everything for the page, at least the goods with these `skus` for an
 * order. It is called for each such request and may read a database. Prices come from here alone.
 */
export async function readCatalogue(_skus?: readonly string[]): Promise<readonly CatalogueItem[]> {
  return GOODS;
}

const GOODS: readonly CatalogueItem[] = [
  {
    sku: 'chitenge-2y',
    name: 'Chitenge cloth, two yards',
    description: 'Cotton print, washed once',
    price: '185.00',
    currency: 'ZMW',
    picture: '/assets/goods.svg#chitenge',
  },
  {
    sku: 'honey-500',
    name: 'Miombo honey, 500\u00a0g',
    description: 'Raw, from Mwinilunga',
    price: '92.50',
    currency: 'ZMW',
    picture: '/assets/goods.svg#honey',
  },
  {
    sku: 'coffee-250',
    name: 'Kasama coffee, 250 g',
    description: 'Whole beans, medium roast',
    price: '138.75',
    currency: 'ZMW',
    picture: '/assets/goods.svg#coffee',
  },
  {
    sku: 'basket-m',
    name: 'Tonga basket, medium',
    description: 'Woven ilala palm, 28 cm',
    price: '420.00',
    currency: 'ZMW',
    picture: '/assets/goods.svg#basket',
  },
];
