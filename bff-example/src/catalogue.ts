// YOURS: what is sold and what it costs. Replace the items, or read them from where you keep them.

/** Something the shop sells. `price` is a decimal with two places, in whole units of `currency`. */
export interface CatalogueItem {
  readonly sku: string;
  readonly name: string;
  readonly description: string;
  readonly price: string;
  readonly currency: string;
}

/**
 * Everything that can be ordered, by sku. A map, so that no sku a browser sends can name anything
 * else.
 */
export const CATALOGUE: ReadonlyMap<string, CatalogueItem> = new Map(
  [
    {
      sku: 'chitenge-2y',
      name: 'Chitenge cloth, two yards',
      description: 'Cotton print, washed once',
      price: '185.00',
      currency: 'ZMW',
    },
    {
      sku: 'honey-500',
      name: 'Miombo honey, 500 g',
      description: 'Raw, from Mwinilunga',
      price: '92.50',
      currency: 'ZMW',
    },
    {
      sku: 'coffee-250',
      name: 'Kasama coffee, 250 g',
      description: 'Whole beans, medium roast',
      price: '138.75',
      currency: 'ZMW',
    },
    {
      sku: 'basket-m',
      name: 'Tonga basket, medium',
      description: 'Woven ilala palm, 28 cm',
      price: '420.00',
      currency: 'ZMW',
    },
  ].map((item) => [item.sku, item]),
);
