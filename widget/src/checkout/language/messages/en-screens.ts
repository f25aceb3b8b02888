function articleOf(name: string): string {
  return /^(?:[AEIOU]|[FHLMNRSX](?=[A-Z]))/.test(name) ? 'an' : 'a';
}

/** English for the screens after the first form, and loaded with them. */
export const enScreens = {
  /** Of fields and answers that come with the session. */
  problems: {
    'billing-required': 'Fill this in to use this card.',
    'card-not-a-test-card': 'Use a test card, such as 4242\u00a04242\u00a04242\u00a04242.',
    'network-missing': 'Choose your network.',
    'phone-missing': 'Enter the phone number.',
    'phone-invalid': 'Check the phone number.',
    'phone-other-network':
      'This number is from another network. Choose that network or use another number.',
    'code-invalid': 'Enter the 4 to 8 digits of the message.',
    'code-wrong': 'Wrong code. Try again.',
    'code-not-sent': 'The code could not be sent. Try again.',
  },

  billingIntroduction: 'This card needs its billing address.',
  streetAddress: 'Street address',
  city: 'City',
  state: 'State or province',
  stateHint: 'Leave empty where there is none',
  postalCode: 'Postal code',
  country: 'Billing country',

  network: 'Network',
  phoneNumber: 'Phone number',
  phoneOtherNetwork: (network: string) =>
    `This is ${articleOf(network)} ${network} number. Choose ${network} or use another number.`,
  phoneOtherCountry: (code: string) =>
    code === '260' ? 'Use a Zambian number (+260).' : `Use a number that starts with +${code}.`,
  useNetwork: (network: string) => `Use ${network}`,
  useCard: 'Use a card',
  beforePrompt: 'We will send a request to this phone. Never type your PIN here.',
  usually: (time: string) => `It usually takes about ${time} to pay.`,
  networkNotices: {
    slow: (network: string) => `${network} is slow right now. The request may take a few minutes.`,
    down: (network: string) =>
      `${network} is not working right now. The request may not reach this phone.`,
  },

  testExplained: 'No real money moves. Choose a number to fill in the form.',
  testNumbers: {
    successful: 'Successful',
    challenged: 'Asks your bank',
    declined: 'Declined',
    notEnough: 'Not enough money',
    billing: 'Needs a billing address',
    slow: 'Takes 20 seconds',
    code: 'Asks for a code',
    waiting: 'Waits for you to approve',
    unanswered: 'Never answers',
  },

  declines: {
    'Card declined': 'Your bank declined this card.',
    'Not enough funds': 'Your balance is too low.',
    'Card expired': 'This card has expired.',
    'Card verification declined': 'Not confirmed by your bank.',
    'Card verification timed out': 'Your bank’s check timed out.',
    'Withdrawal amount limit exceeded': 'The amount is above the limit of this account.',
    'Transaction unauthorized': 'The payment was not approved.',
    'Incorrect Pin': 'Incorrect PIN.',
    'Transaction Timed Out': 'The payment was not approved in time.',
    'Wrong one-time code': 'Wrong code.',
    'One-time code not entered in time': 'The code was not entered in time.',
  },
  notEnoughOnCard: 'There is not enough money on this card.',
  notCharged: 'You have not been charged.',
  declined: 'Payment declined',
  /**
   * For an attempt that this visit may not know: the tab has no token, or somebody else made it.
   */
  declinedBefore: 'Your last attempt did not go through. You have not been charged.',
  tryCardOrPhone: 'Try another card or mobile money.',
  tryPhoneOrCard: 'Try again, or pay another way.',
  tryAnotherCard: 'Try again or use another card.',
  tryAnotherPhone: 'Try again or use another number.',
  notSent: 'Payment not sent',
  notArrived: 'Your payment did not reach us. You have not been charged. Please try again.',
  formRejected: 'The payment could not be sent. You have not been charged. Please try again.',

  promptTitle: 'Approve the payment on your phone',
  promptText: (network: string, phone: string, amount: string) =>
    `Enter your ${network} PIN on ${phone} to pay ${amount}.`,
  promptNothing: 'Nothing yet? Unlock your phone. It can take a minute.',
  promptDial: (code: string) => `No pop-up? Dial ${code}`,
  openTestPhone: 'Open the test phone',
  stepSent: 'Request sent to your phone',
  stepApprove: 'Enter your PIN on the phone',
  stepDone: 'Done. This page updates by itself.',
  sendAgain: 'Send the request again',
  sentAgain: 'Sent again just now',
  useAnotherOrCard: 'Use another number or pay by card',
  useAnother: 'Use another number',
  withdrawing: 'Cancelling the request on your phone…',
  requestCancelled: 'Request cancelled. You have not been charged.',
  stillOnPhone:
    'The request may still be open on your phone. Try again once the connection is back.',
  noNewCode: 'No new code was sent. Try again once the connection is back.',
  stuckTitle: 'Decline the first request on your phone',
  stuckText:
    'We cannot cancel it from here. Once you decline it, you can use another number or pay another way. If you approve it after all, the payment goes through.',
  checkAgain: 'Check again',
  noNews: 'Nothing new yet.',
  promptSomewhere: (amount: string) =>
    `To pay ${amount}, enter your PIN on the phone you started with.`,
  timeLeft: (minutes: number, seconds: string) => `${minutes}:${seconds} left`,
  stillWaiting:
    'Still waiting. You can keep this open, or close it: we will tell the shop as soon as your network confirms.',
  stillConfirming:
    'Still waiting. You can keep this open, or close it: the shop will learn the result.',
  codeTitle: 'Enter the code you were sent',
  codeText: (phone: string) => `We texted a code to ${phone}.`,
  codeSent: 'Your network has texted you a code.',
  sendNewCode: 'Send a new code',
  codeWrong: (left: number) =>
    left === 1 ? 'Wrong code. 1 try left.' : `Wrong code. ${left} tries left.`,
  code: 'One-time code',
  confirm: 'Confirm',
  sendingCode: 'Checking your code. This takes a few seconds.',
  challengeTitle: 'Confirm with your bank',
  challengeText: 'Your bank asks you to confirm it’s you.',
  challengeFrame: 'Card verification',
  challengeWindow: 'Open your bank’s page in a new window',
  challengeBlocked: 'Your bank’s page can’t open here. Open the shop in its own window.',
  confirmingTitle: 'Confirming your payment',
  confirmingText: 'Your bank is working on it. This can take a minute.',
  elsewhereTitle: 'This payment is under way',
  elsewhereText:
    'It was started in another window or on another device. Finish it there, and the result shows here. If it is not finished in time, you can pay here.',
  unsureTitle: 'Your payment is being confirmed',
  unsureText:
    'Connection lost. Please don’t pay again. We are still checking, and the shop will confirm.',
  silentText:
    'The payment service does not respond. Please don’t pay again. We check again every few seconds.',

  leaving: {
    prompt: {
      title: 'Leave while we wait?',
      text: 'The request stays open on your phone. Decline it there if you do not want to pay.',
      stay: 'Keep waiting',
      leave: 'Close anyway',
    },
    withdrawal: {
      title: 'Leave while we wait?',
      text: 'We are cancelling the request on your phone. If it still shows there, decline it.',
      stay: 'Keep waiting',
      leave: 'Close anyway',
    },
    challenge: {
      title: 'Leave without finishing?',
      text: 'You have not finished confirming with your bank. If you already approved it in your bank’s app, the payment may still go through.',
      stay: 'Finish paying',
      leave: 'Leave',
    },
    code: {
      title: 'Leave without finishing?',
      text: 'Your network is waiting for the code. Without it, this payment will not go through.',
      stay: 'Finish paying',
      leave: 'Leave',
    },
    unknown: {
      title: 'Your payment is still being confirmed',
      text: 'If you close now, we will tell the shop as soon as we know.',
      stay: 'Keep waiting',
      leave: 'Close anyway',
    },
  },

  successTitle: 'Payment successful',
  alreadyPaidText: (merchant: string) =>
    `This was already paid to ${merchant}. You have not been charged again.`,
  receipt: {
    paidTo: 'Paid to',
    paidWith: 'Paid with',
    email: 'E-mail',
    date: 'Date',
    reference: 'Reference',
    copy: 'Copy reference',
    copied: 'Copied',
  },
  done: 'Done',
  backIn: (shop: string, seconds: number) => `Back to ${shop} in ${seconds}\u00a0s`,
  over: {
    time: {
      title: 'Time ran out',
      text: 'You have not been charged. Go back to the shop to start again.',
    },
    tries: {
      title: 'No tries left',
      text: 'The payment did not go through. You have not been charged. Go back to the shop to start again.',
    },
  },
  timeShort: 'Less than 2 minutes left.',
  getMoreTime: 'Get more time',
  moreTimeGiven: 'You have more time to pay now.',
  noMoreTime: 'More time could not be added.',

  rejectedAgainText: (error: string) =>
    `Your earlier payment may have gone through (error\u00a0${error}). Do not pay again yet. Go back to the shop, which will confirm it.`,
  rejections: {
    reference_used: {
      title: 'This payment can’t be continued',
      text: 'Go back to the shop to start again (error\u00a004). You have not been charged now.',
    },
    not_authorized: {
      title: 'Payments are not set up here',
      text: 'Please tell the shop (error\u00a009). You have not been charged.',
    },
    denied: {
      title: 'Payments are not set up here',
      text: 'Please tell the shop (error\u00a013). You have not been charged.',
    },
    no_channel: {
      title: 'No payment method available',
      text: 'This shop has no way to take this payment (error\u00a001). You have not been charged.',
    },
    rejected: {
      title: 'This payment cannot be taken',
      text: 'Please tell the shop (error\u00a001). You have not been charged.',
    },
  },
};
