/** English for the screens that come after the first form, and with them (`screens.ts`). */
export const enScreens = {
  network: 'Network',
  phoneNumber: 'Phone number',
  phoneHint: 'You approve the payment on this phone.',
  networkFound: (network: string) => `This looks like a number of ${network}.`,

  /** What to say after the reason of a decline, by that reason. */
  declines: {
    'Card declined': 'Your bank declined this card.',
    'Not enough funds': 'There is not enough money for this payment.',
    'Card expired': 'This card is out of date.',
    'Card verification declined': 'Your bank did not confirm this payment.',
    'Card verification timed out': 'Your bank did not hear from you in time.',
    'Withdrawal amount limit exceeded': 'The amount is above the limit of this account.',
    'Transaction unauthorized': 'The payment was not approved.',
    'Incorrect Pin': 'The PIN was not right.',
    'Transaction Timed Out': 'The payment was not approved in time.',
    'Wrong one-time code': 'The code was not right.',
    'One-time code not entered in time': 'The code was not entered in time.',
  },
  declinedOtherwise: 'The payment did not go through.',
  notCharged: 'You have not been charged.',
  declined: 'Payment declined',
  /**
   * The decline of an attempt of which this visit may know no more: the tab kept no token, or it
   * was somebody else's.
   */
  declinedBefore:
    'The last try to pay did not go through, and nothing was charged for it. You can try again.',
  tryCardOrPhone: 'Try another card or pay by mobile money.',
  tryPhoneOrCard: 'Try again, use another number or pay by card.',
  tryAnotherCard: 'Try again or use another card.',
  tryAnotherPhone: 'Try again or use another number.',
  notSent: 'Payment not sent',
  notArrived: 'Your payment did not reach us. You have not been charged. Please try again.',
  formRefused: 'The payment could not be sent. You have not been charged. Please try again.',

  promptTitle: 'Approve the payment on your phone',
  promptSteps: (digits: string, amount: string) =>
    `Enter your PIN on the phone ending ${digits} to approve ${amount}.`,
  promptSomewhere: (amount: string) =>
    `Enter your PIN on the phone this payment was started with to approve ${amount}.`,
  promptNetwork: (network: string) =>
    `${network} has sent the request to your phone. Nothing there? Unlock it and wait a moment.`,
  timeLeft: (minutes: number, seconds: string) => `${minutes}:${seconds} left`,
  stillWaiting:
    'Still waiting. You can keep this open, or close it: we will tell the shop as soon as your network confirms.',
  stillConfirming:
    'Still waiting. You can keep this open, or close it: the shop will learn the result.',
  codeTitle: 'Enter the code you were sent',
  codeText: 'Your network has sent a code to your phone by message.',
  code: 'One-time code',
  codesLeft: (left: number) =>
    left === 1 ? 'You can try once more.' : `You can try ${left} times.`,
  codeWrong: (left: number) =>
    left === 1 ? 'Not right. You can try once more.' : `Not right. You can try ${left} more times.`,
  confirm: 'Confirm',
  sendingCode: 'Checking your code. This takes a few seconds.',
  challengeTitle: 'Confirm with your bank',
  /**
   * "Close payment" is what the page calls its Close: Escape is not heard while the bank’s page has
   * the focus.
   */
  challengeText: 'Your bank wants to be sure it is you. To leave, press Close payment.',
  challengeFrame: 'Card verification',
  challengeWindow: 'Open your bank’s page in a new window',
  confirmingTitle: 'Confirming your payment',
  confirmingText: 'Your bank is working on it. This can take a minute, so please keep this open.',
  elsewhereTitle: 'This payment is under way',
  elsewhereText:
    'It was started in another window or on another device. Finish it there, and the result shows here.',
  unsureTitle: 'Your payment is being confirmed',
  unsureText:
    'We could not reach the network to learn the result. Do not pay again yet: the shop will confirm it.',
  leavingTitle: 'Your payment is still being confirmed',
  leavingText:
    'If you close now, the payment may still go through. The shop will learn the result.',
  keepWaiting: 'Keep waiting',
  closeAnyway: 'Close anyway',

  successTitle: 'Payment successful',
  successText: (amount: string, merchant: string) => `You paid ${amount} to ${merchant}.`,
  alreadyPaidText: (merchant: string) =>
    `This was already paid to ${merchant}. You have not been charged again.`,
  done: 'Done',
  overTitle: 'This payment has ended',
  overTimeText:
    'The time to pay ran out. You have not been charged. Go back to the shop to start again.',
  overAttemptsText:
    'The payment did not go through and cannot be tried again here. You have not been charged. Go back to the shop to start again.',
  timeShort: 'Less than 2 minutes are left to pay.',
  getMoreTime: 'Get more time',
  moreTimeGiven: 'You have more time to pay now.',
};
