import type { VerifiedCollection } from '../service/client.ts';

/** When and how a payment was paid, for its receipt. */
export interface PaidDetails {
  /** Milliseconds since 1970; null if the service does not say. */
  paidAt: number | null;
  paidWith: { channel: 'card' | 'mobile-money'; label: string } | null;
}

/**
 * Reads the details from the service's response. Keeps only the last four digits of a card or
 * phone.
 */
export function readPaidDetails({
  completedAt,
  cardDetails,
  mobileMoneyDetails,
}: VerifiedCollection): PaidDetails {
  const paidAt = Date.parse(completedAt ?? '');
  const card = cardDetails && labelOf(cardDetails.cardType, 'Card', cardDetails.last4);
  const phone =
    mobileMoneyDetails && labelOf(mobileMoneyDetails.operator, 'Phone', mobileMoneyDetails.phone);
  return {
    paidAt: Number.isNaN(paidAt) ? null : paidAt,
    paidWith: card
      ? { channel: 'card', label: card }
      : phone
        ? { channel: 'mobile-money', label: phone }
        : null,
  };
}

/** Returns a label such as `Visa •• 4242` or `MTN •• 1111`. */
function labelOf(brand: string | null, otherwise: string, number: string | null): string {
  const name = /^[a-z]{2,20}$/i.test(brand ?? '') ? brand! : otherwise;
  const shown = name.length <= 3 ? name.toUpperCase() : name[0]!.toUpperCase() + name.slice(1);
  const [digits] = /[0-9]{4}$/.exec(number ?? '') ?? [];
  return digits ? `${shown} •• ${digits}` : shown;
}
