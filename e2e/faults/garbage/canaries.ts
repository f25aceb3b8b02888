/** Sent with every input and forbidden in every output. The second looks like a card number. */
export const CANARIES = ['canary-of-the-faults', '4111111111111111'] as const;
