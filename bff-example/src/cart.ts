/** One line of an order, as it was priced when it was placed. */
export interface OrderLine {
  sku: string;
  name: string;
  quantity: number;
  price: string;
}

/** The customer, as far as the shop was told. */
export interface OrderCustomer {
  email: string;
  firstName?: string | undefined;
  lastName?: string | undefined;
  phone?: string | undefined;
}

/** The order that is kept with each payment, and handed to `fulfil` once it is paid. */
export interface Cart {
  customer: OrderCustomer;
  lines: OrderLine[];
}
