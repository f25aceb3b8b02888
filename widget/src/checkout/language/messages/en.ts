import { SERVICE_NAME } from '@service-pay/contract/service-name';
/**
 * English for everything before the service has answered; the rest is in `en-screens.ts`. Whole
 * sentences, since other languages order their words differently.
 */
export const en = {
  title: 'Secure payment',
  language: 'Language',
  languageSwitched: 'The payment is now shown in English.',
  testMode: 'Test mode',
  loading: 'Getting your payment ready',
  chooseHowToPay: (merchant: string) => `Choose how to pay ${merchant}`,
  howToPay: 'How to pay',
  channels: { card: 'Card', 'mobile-money': 'Mobile money' },
  amount: 'Amount',
  fee: 'Fee',
  total: 'Total',
  pay: (amount: string) => `Pay ${amount}`,
  paying: (amount: string) => `Paying ${amount}…`,
  securedBy: `Secured by ${SERVICE_NAME}`,
  sending: 'Sending your payment takes a few seconds.',
  stillSending: 'Still sending. Keep this open: you will not be charged twice.',

  cardNumber: 'Card number',
  expiryDate: 'Expiry date',
  expiryPlaceholder: 'MM / YY',
  securityCode: 'Security code',
  securityCodeHint: (digits: number): string =>
    digits === 4
      ? 'The 4 digits on the front of your card'
      : 'The 3 digits on the back of your card',
  nameOnCard: 'Name on card',

  checkFields: 'Check these fields',
  problems: {
    'card-number-missing': 'Enter the card number.',
    'card-number-invalid': 'Check the card number.',
    'card-number-too-long': 'This card number is too long.',
    'card-brand-not-accepted': 'This shop does not accept this type of card.',
    'expiry-missing': 'Enter the expiry date.',
    'expiry-invalid': 'Enter month and year, such as 12/34.',
    'expiry-past': 'This card has expired.',
    'security-code-missing': 'Enter the security code.',
    'security-code-invalid': 'Enter the 3 or 4 digits on your card.',
    'security-code-of-3': 'Enter the 3 digits on the back.',
    'security-code-of-4': 'Enter the 4 digits on the front.',
    'name-missing': 'Enter the name on the card.',
  },
  /** For a code that is not listed above and a service that gives no sentence. */
  unknownProblem: 'We couldn’t accept this.',

  offlineTitle: 'You are offline.',
  offlineText: 'Nothing was sent, and you have not been charged.',
  leavingTyped: {
    title: 'Leave without paying?',
    text: 'You have not been charged.',
    stay: 'Keep paying',
    leave: 'Leave',
  },
  backToShop: 'Back to the shop',
  unreachableTitle: 'The payment service does not respond',
  unreachableText: 'You have not been charged. Try again in a moment.',
  unreachableAgainText: 'Please don’t pay again. We do not know yet how your payment ended.',
  tryAgain: 'Try again',
};

/** The words of the first form, which English has from the start. */
export type FirstWords = typeof en;
