/**
 * Returns true if the status of a collection or a session never changes again (D30, D31). An unknown
 * status is not final (D32).
 */
export function isFinalStatus(status: string | undefined): status is 'successful' | 'failed' {
  return status === 'successful' || status === 'failed';
}

/**
 * Returns true if the service waits for the customer: to approve on the phone, to type a code, or
 * to answer the bank (D30).
 */
export function isWaitingForCustomer(status: string): boolean {
  return status === 'pay-offline' || status === 'otp-required' || status === '3ds-auth-required';
}
