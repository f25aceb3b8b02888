import type { Messages } from './messages.ts';

/** Swahili, to be reviewed by a native speaker before it goes live. */
export const messages: Messages = {
  title: 'Malipo salama',
  language: 'Lugha',
  languageSwitched: 'Malipo sasa yanaonyeshwa kwa Kiswahili.',
  testMode: 'Hali ya majaribio',
  loading: 'Malipo yako yanaandaliwa',
  chooseHowToPay: (merchant) => `Chagua jinsi ya kulipa ${merchant}`,
  howToPay: 'Njia ya kulipa',
  channels: { card: 'Kadi', 'mobile-money': 'Pesa za simu' },
  amount: 'Kiasi',
  fee: 'Ada',
  total: 'Jumla',
  pay: (amount) => `Lipa ${amount}`,
  takenBy: (merchant) => `ServicePay inapokea kwa niaba ya ${merchant}.`,
  sending: 'Malipo yanatumwa. Itachukua sekunde chache.',

  cardNumber: 'Namba ya kadi',
  expiryDate: 'Tarehe ya mwisho',
  expiryHint: 'Mwezi na mwaka, kama kwenye kadi',
  securityCode: 'Namba ya usalama',
  securityCodeHint: (digits) =>
    digits === 4 ? 'Tarakimu 4 mbele ya kadi yako' : 'Tarakimu 3 nyuma ya kadi yako',
  nameOnCard: 'Jina kwenye kadi',
  billingIntroduction: 'Kadi hii inahitaji anwani yake ya bili.',
  streetAddress: 'Anwani ya mtaa',
  city: 'Mji',
  state: 'Jimbo au mkoa',
  stateHint: 'Acha wazi kama hakuna',
  postalCode: 'Msimbo wa posta',
  country: 'Nchi ya bili',
  countryHint: 'Jina lake au herufi mbili, kwa mfano ZM',

  network: 'Mtandao',
  phoneNumber: 'Namba ya simu',
  phoneHint: 'Utaidhinisha malipo kwenye simu hii.',
  networkFound: (network) => `Hii inaonekana kuwa namba ya ${network}.`,

  checkFields: 'Angalia sehemu hizi',

  problems: {
    'card-number-missing': 'Andika namba iliyo kwenye kadi yako.',
    'card-number-invalid': 'Namba hii ya kadi si sahihi. Iangalie.',
    'card-not-a-test-card': 'Tumia kadi ya majaribio, kwa mfano 4242 4242 4242 4242.',
    'expiry-missing': 'Andika mwezi na mwaka wa kadi yako.',
    'expiry-invalid': 'Andika mwezi na mwaka, kwa mfano 12/34.',
    'expiry-past': 'Tarehe hii imepita. Iangalie.',
    'security-code-invalid': 'Andika tarakimu 3 au 4 za kadi yako.',
    'security-code-of-3': 'Andika tarakimu 3 za nyuma.',
    'security-code-of-4': 'Andika tarakimu 4 za mbele.',
    'name-missing': 'Andika jina lililo kwenye kadi yako.',
    'billing-required': 'Jaza hapa ili utumie kadi hii.',
    'country-invalid': 'Andika nchi kwa jina lake au herufi mbili.',
    'network-missing': 'Chagua mtandao wa simu yako.',
    'phone-missing': 'Andika namba ya simu ya kulipia.',
    'phone-invalid': 'Namba hii ya simu si sahihi. Iangalie.',
    'phone-other-network': 'Namba hii si ya mtandao uliochaguliwa.',
    'code-invalid': 'Andika tarakimu 4 hadi 8 za ujumbe.',
    'code-wrong': 'Namba hii si sahihi. Jaribu tena.',
    'code-not-sent': 'Namba haikuweza kutumwa. Jaribu tena.',
  },
  unknownProblem: 'Hii haikukubaliwa. Iangalie na ujaribu tena.',

  declines: {
    'Card declined': 'Benki yako imekataa kadi hii.',
    'Not enough funds': 'Pesa hazitoshi kwa malipo haya.',
    'Card expired': 'Muda wa kadi hii umekwisha.',
    'Card verification declined': 'Benki yako haikuthibitisha malipo haya.',
    'Card verification timed out': 'Benki yako haikupata jibu lako kwa wakati.',
    'Withdrawal amount limit exceeded': 'Kiasi kimezidi kikomo cha akaunti hii.',
    'Transaction unauthorized': 'Malipo hayakuidhinishwa.',
    'Incorrect Pin': 'PIN haikuwa sahihi.',
    'Transaction Timed Out': 'Malipo hayakuidhinishwa kwa wakati.',
    'Wrong one-time code': 'Namba ya uthibitisho haikuwa sahihi.',
    'One-time code not entered in time': 'Namba ya uthibitisho haikuandikwa kwa wakati.',
  },
  declinedOtherwise: 'Malipo hayakufanikiwa.',
  notCharged: 'Hujatozwa pesa.',
  declined: 'Malipo yamekataliwa',
  declinedBefore:
    'Jaribio la mwisho la kulipa halikufanikiwa, na hakuna kilichotozwa. Unaweza kujaribu tena.',
  tryCardOrPhone: 'Jaribu kadi nyingine au lipa kwa pesa za simu.',
  tryPhoneOrCard: 'Jaribu tena, tumia namba nyingine au lipa kwa kadi.',
  tryAnotherCard: 'Jaribu tena au tumia kadi nyingine.',
  tryAnotherPhone: 'Jaribu tena au tumia namba nyingine.',
  notSent: 'Malipo hayakutumwa',
  notArrived: 'Malipo yako hayakutufikia. Hujatozwa pesa. Tafadhali jaribu tena.',
  formRefused: 'Malipo hayakuweza kutumwa. Hujatozwa pesa. Tafadhali jaribu tena.',

  promptTitle: 'Idhinisha malipo kwenye simu yako',
  promptSteps: (digits, amount) =>
    `Andika PIN yako kwenye simu inayoishia na ${digits} ili kuidhinisha ${amount}.`,
  promptSomewhere: (amount) =>
    `Andika PIN yako kwenye simu iliyoanzisha malipo haya ili kuidhinisha ${amount}.`,
  promptNetwork: (network) =>
    `${network} imetuma ombi kwenye simu yako. Huoni kitu? Ifungue na usubiri kidogo.`,
  timeLeft: (minutes, seconds) => `Zimebaki ${minutes}:${seconds}`,
  stillWaiting:
    'Bado tunasubiri. Unaweza kuacha dirisha hili wazi au kulifunga: tutaliarifu duka mara mtandao wako utakapothibitisha.',
  stillConfirming:
    'Bado tunasubiri. Unaweza kuacha dirisha hili wazi au kulifunga: duka litajua matokeo.',
  codeTitle: 'Andika namba uliyotumiwa',
  codeText: 'Mtandao wako umetuma namba kwenye simu yako kwa ujumbe.',
  code: 'Namba ya uthibitisho',
  codesLeft: (left) =>
    left === 1 ? 'Unaweza kujaribu mara moja zaidi.' : `Unaweza kujaribu mara ${left}.`,
  codeWrong: (left) =>
    left === 1
      ? 'Si sahihi. Unaweza kujaribu mara moja zaidi.'
      : `Si sahihi. Unaweza kujaribu mara ${left} zaidi.`,
  confirm: 'Thibitisha',
  sendingCode: 'Namba yako inaangaliwa. Itachukua sekunde chache.',
  challengeTitle: 'Thibitisha na benki yako',
  challengeText: 'Benki yako inataka kuhakikisha kuwa ni wewe. Ili kuondoka, bonyeza Funga malipo.',
  challengeFrame: 'Uthibitisho wa kadi',
  challengeWindow: 'Fungua ukurasa wa benki yako katika dirisha jipya',
  confirmingTitle: 'Malipo yako yanathibitishwa',
  confirmingText:
    'Benki yako inashughulikia. Inaweza kuchukua dakika moja, kwa hiyo acha dirisha hili wazi.',
  elsewhereTitle: 'Malipo haya yanaendelea',
  elsewhereText:
    'Yalianzishwa katika dirisha lingine au kwenye kifaa kingine. Yamalize huko, na matokeo yataonekana hapa.',
  unsureTitle: 'Malipo yako yanathibitishwa',
  unsureText:
    'Hatukuweza kufikia mtandao ili kujua matokeo. Usilipe tena kwa sasa: duka litayathibitisha.',
  leavingTitle: 'Malipo yako bado yanathibitishwa',
  leavingText: 'Ukifunga sasa, malipo bado yanaweza kufanikiwa. Duka litajua matokeo.',
  keepWaiting: 'Endelea kusubiri',
  closeAnyway: 'Funga hata hivyo',

  successTitle: 'Malipo yamefanikiwa',
  successText: (amount, merchant) => `Umelipa ${amount} kwa ${merchant}.`,
  alreadyPaidText: (merchant) => `Hii ilishalipwa kwa ${merchant}. Hujatozwa tena.`,
  done: 'Maliza',
  overTitle: 'Malipo haya yamekwisha',
  overTimeText: 'Muda wa kulipa umekwisha. Hujatozwa pesa. Rudi dukani ili uanze tena.',
  overAttemptsText:
    'Malipo hayakufanikiwa na hayawezi kujaribiwa tena hapa. Hujatozwa pesa. Rudi dukani ili uanze tena.',
  backToShop: 'Rudi dukani',
  timeShort: 'Zimebaki chini ya dakika 2 za kulipa.',
  getMoreTime: 'Pata muda zaidi',
  moreTimeGiven: 'Sasa una muda zaidi wa kulipa.',
  unreachableTitle: 'Hatuwezi kufikia huduma ya malipo',
  unreachableText: 'Hujatozwa pesa. Angalia muunganisho wako na ujaribu tena.',
  unreachableAgainText:
    'Bado hatujui malipo yako yaliishaje. Usilipe tena kwa sasa. Angalia muunganisho wako na ujaribu tena.',
  refusedAgainText: (error) =>
    `Bado hatujui malipo yako yaliishaje (kosa ${error}). Usilipe tena kwa sasa. Rudi dukani: duka litayathibitisha.`,
  tryAgain: 'Jaribu tena',
  refusals: {
    reference_used: {
      title: 'Malipo haya hayawezi kutumika tena',
      text: 'Kumbukumbu yake imeshatumika (kosa 04). Hujatozwa pesa sasa. Rudi dukani ili uanze tena.',
    },
    not_authorized: {
      title: 'Duka hili halijawekwa tayari kupokea malipo hapa',
      text: 'Ufunguo wake haujulikani kwa huduma hii (kosa 09). Hakuna kinachotozwa. Tafadhali lijulishe duka.',
    },
    denied: {
      title: 'Ukurasa huu hauruhusiwi kupokea malipo',
      text: 'Huduma haiujui ukurasa huu (kosa 13). Hakuna kinachotozwa. Tafadhali lijulishe duka.',
    },
    no_channel: {
      title: 'Hakuna njia ya kulipa iliyobaki',
      text: 'Duka hili halina njia ya kulipa kiasi hiki kwa sarafu hii (kosa 01). Hakuna kinachotozwa.',
    },
    refused: {
      title: 'Malipo haya hayawezi kupokelewa',
      text: 'Duka limeomba jambo ambalo huduma haiwezi kufanya (kosa 01). Hakuna kinachotozwa. Tafadhali lijulishe duka.',
    },
  },
};
