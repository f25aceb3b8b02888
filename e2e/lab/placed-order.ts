export interface PlacedOrder {
  reference: string;
  cookie: string;
  /** Of its browser: orders and questions are limited by address. */
  address: string;
}
