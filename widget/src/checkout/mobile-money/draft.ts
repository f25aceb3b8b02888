/** The fields of a mobile money account in their order on screen. */
export const PHONE_FIELDS: readonly string[] = ['phone', 'operator'];

/** What a customer has typed of a mobile money account so far. Outlives the form that shows it. */
export interface PhoneDraft {
  phone: string;
  /** The chosen network, or the one the number suggests. */
  operator: string;
  /** Whether the customer chose the network, so that the number may not change it any more. */
  isChosen: boolean;
}
