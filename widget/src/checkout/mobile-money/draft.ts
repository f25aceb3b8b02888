export const PHONE_FIELDS: readonly string[] = ['phone', 'operator'];

/** The typed mobile money account. Outlives the form that shows it. */
export interface PhoneDraft {
  phone: string;
  sentPhone?: string;
  operator: string;
  /** The customer chose the network, so the number no longer changes it. */
  isChosen: boolean;
}
