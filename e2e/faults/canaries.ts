/**
 * Stands in whatever is sent, and must not stand in what comes out. The second looks like a card.
 */
export const CANARIES = ['canary-of-the-faults', '4111111111111111'] as const;
