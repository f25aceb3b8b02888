import { SERVICE_NAME } from '@service-pay/contract/service-name';
import type { Messages } from './en-screens.ts';

/** Swahili, to be reviewed by a native speaker before it goes live. */
export const messages: Messages = {
  title: 'Malipo salama',
  language: 'Lugha',
  languageSwitched: 'Malipo sasa yanaonyeshwa kwa Kiswahili.',
  testMode: 'Majaribio',
  loading: 'Malipo yako yanaandaliwa',
  chooseHowToPay: (merchant) => `Chagua jinsi ya kulipa ${merchant}`,
  howToPay: 'Njia ya kulipa',
  channels: { card: 'Kadi', 'mobile-money': 'Pesa za simu' },
  amount: 'Kiasi',
  fee: 'Ada',
  total: 'Jumla',
  pay: (amount) => `Lipa ${amount}`,
  paying: (amount) => `Inalipa ${amount}…`,
  securedBy: `Inalindwa na ${SERVICE_NAME}`,
  sending: 'Malipo yanatumwa. Itachukua sekunde chache.',
  stillSending: 'Bado inatumwa. Acha dirisha hili wazi: hutatozwa mara mbili.',

  cardNumber: 'Namba ya kadi',
  expiryDate: 'Mwisho wa matumizi',
  expiryPlaceholder: 'MM / YY',
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

  network: 'Mtandao',
  phoneNumber: 'Namba ya simu',
  phoneOtherNetwork: (network) =>
    `Hii ni namba ya ${network}. Chagua ${network} au tumia namba nyingine.`,
  phoneOtherCountry: (code) =>
    code === '260' ? 'Tumia namba ya Zambia (+260).' : `Tumia namba inayoanza na +${code}.`,
  useNetwork: (network) => `Tumia ${network}`,
  useCard: 'Tumia kadi',
  beforePrompt: 'Tutatuma ombi kwenye simu hii. Kamwe usiweke PIN yako hapa.',
  usually: (time) => `Kwa kawaida malipo huchukua takriban ${time}.`,
  networkNotices: {
    slow: (network) => `${network} iko polepole kwa sasa. Ombi linaweza kuchukua dakika chache.`,
    down: (network) => `${network} haifanyi kazi kwa sasa. Huenda ombi lisifike kwenye simu hii.`,
  },

  testExplained: 'Hakuna pesa halisi inayotozwa. Chagua namba ili kujaza fomu.',
  testNumbers: {
    successful: 'Yanafanikiwa',
    challenged: 'Benki inathibitisha',
    declined: 'Yanakataliwa',
    notEnough: 'Salio halitoshi',
    billing: 'Inahitaji anwani ya bili',
    slow: 'Huchukua sekunde 20',
    code: 'Inaomba namba ya uthibitisho',
    waiting: 'Inasubiri uidhinishe',
    unanswered: 'Haijibiwi kamwe',
  },

  checkFields: 'Angalia sehemu hizi',

  problems: {
    'card-number-missing': 'Weka namba ya kadi.',
    'card-number-invalid': 'Hakiki namba ya kadi.',
    'card-number-too-long': 'Namba hii ya kadi ni ndefu mno.',
    'card-brand-not-accepted': 'Duka hili halipokei aina hii ya kadi.',
    'card-not-a-test-card':
      'Tumia kadi ya majaribio, kwa mfano 4242\u00a04242\u00a04242\u00a04242.',
    'expiry-missing': 'Weka tarehe ya mwisho wa matumizi.',
    'expiry-invalid': 'Weka mwezi na mwaka, kwa mfano 12/34.',
    'expiry-past': 'Muda wa kadi hii umekwisha.',
    'security-code-missing': 'Weka namba ya usalama.',
    'security-code-invalid': 'Weka tarakimu 3 au 4 za kadi yako.',
    'security-code-of-3': 'Weka tarakimu 3 za nyuma.',
    'security-code-of-4': 'Weka tarakimu 4 za mbele.',
    'name-missing': 'Weka jina lililo kwenye kadi.',
    'billing-required': 'Jaza hapa ili utumie kadi hii.',
    'network-missing': 'Chagua mtandao wako.',
    'phone-missing': 'Weka namba ya simu.',
    'phone-invalid': 'Hakiki namba ya simu.',
    'phone-other-network':
      'Namba hii ni ya mtandao mwingine. Chagua mtandao huo au tumia namba nyingine.',
    'code-invalid': 'Weka tarakimu 4 hadi 8 za ujumbe.',
    'code-wrong': 'Namba si sahihi. Jaribu tena.',
    'code-not-sent': 'Namba haikuweza kutumwa. Jaribu tena.',
  },
  unknownProblem: 'Hatukuweza kukubali hii.',

  declines: {
    'Card declined': 'Benki yako imekataa kadi hii.',
    'Not enough funds': 'Salio lako halitoshi.',
    'Card expired': 'Muda wa kadi hii umekwisha.',
    'Card verification declined': 'Benki yako haikuthibitisha.',
    'Card verification timed out': 'Muda wa kuthibitisha umekwisha.',
    'Withdrawal amount limit exceeded': 'Kiasi kimezidi kikomo cha akaunti hii.',
    'Transaction unauthorized': 'Malipo hayakuidhinishwa.',
    'Incorrect Pin': 'PIN si sahihi.',
    'Transaction Timed Out': 'Malipo hayakuidhinishwa kwa wakati.',
    'Wrong one-time code': 'Namba si sahihi.',
    'One-time code not entered in time': 'Namba ya uthibitisho haikuwekwa kwa wakati.',
  },
  notEnoughOnCard: 'Kadi hii haina pesa za kutosha.',
  notCharged: 'Hujatozwa pesa.',
  declined: 'Malipo yamekataliwa',
  declinedBefore: 'Jaribio lako la mwisho halikufanikiwa. Hujatozwa pesa.',
  tryCardOrPhone: 'Jaribu kadi nyingine au lipa kwa pesa za simu.',
  tryPhoneOrCard: 'Jaribu tena au lipa kwa njia nyingine.',
  tryAnotherCard: 'Jaribu tena au tumia kadi nyingine.',
  tryAnotherPhone: 'Jaribu tena au tumia namba nyingine.',
  notSent: 'Malipo hayakutumwa',
  notArrived: 'Malipo yako hayakutufikia. Hujatozwa pesa. Tafadhali jaribu tena.',
  formRefused: 'Malipo hayakuweza kutumwa. Hujatozwa pesa. Tafadhali jaribu tena.',

  promptTitle: 'Idhinisha malipo kwenye simu yako',
  promptText: (network, phone, amount) =>
    `Weka PIN yako ya ${network} kwenye simu ${phone} ili kulipa ${amount}.`,
  promptNothing: 'Bado huoni kitu? Fungua simu yako. Inaweza kuchukua dakika moja.',
  promptDial: (code) => `Huoni ujumbe? Piga ${code}`,
  openTestPhone: 'Fungua simu ya majaribio',
  stepSent: 'Ombi limetumwa kwenye simu yako',
  stepApprove: 'Weka PIN yako kwenye simu',
  stepDone: 'Tayari. Ukurasa huu utajisasisha wenyewe.',
  sendAgain: 'Tuma ombi tena',
  sentAgain: 'Limetumwa tena sasa hivi',
  useAnotherOrCard: 'Tumia namba nyingine au lipa kwa kadi',
  useAnother: 'Tumia namba nyingine',
  withdrawing: 'Tunaghairi ombi kwenye simu yako…',
  requestCancelled: 'Ombi limeghairiwa. Hujatozwa pesa.',
  stillOnPhone: 'Huenda ombi bado lipo kwenye simu yako. Jaribu tena muunganisho ukirudi.',
  noNewCode: 'Hakuna namba mpya iliyotumwa. Jaribu tena muunganisho ukirudi.',
  stuckTitle: 'Kataa ombi la kwanza kwenye simu yako',
  stuckText:
    'Hatuwezi kulighairi kutoka hapa. Ukishalikataa, unaweza kutumia namba nyingine au kulipa kwa njia nyingine. Ukiliidhinisha hata hivyo, malipo yatafanyika.',
  checkAgain: 'Angalia tena',
  noNews: 'Bado hakuna jipya.',
  promptSomewhere: (amount) => `Ili kulipa ${amount}, weka PIN yako kwenye simu uliyoanza nayo.`,
  timeLeft: (minutes, seconds) => `Zimebaki ${minutes}:${seconds}`,
  stillWaiting:
    'Bado tunasubiri. Unaweza kuacha dirisha hili wazi au kulifunga: tutaliarifu duka mara mtandao wako utakapothibitisha.',
  stillConfirming:
    'Bado tunasubiri. Unaweza kuacha dirisha hili wazi au kulifunga: duka litajua matokeo.',
  codeTitle: 'Weka namba uliyotumiwa',
  codeText: (phone) => `Tumetuma namba ya uthibitisho kwa SMS kwenye ${phone}.`,
  codeSent: 'Mtandao wako umekutumia namba ya uthibitisho kwa SMS.',
  sendNewCode: 'Tuma namba mpya',
  codeWrong: (left) =>
    left === 1
      ? 'Namba si sahihi. Umebakiza jaribio moja.'
      : `Namba si sahihi. Umebakiza majaribio ${left}.`,
  code: 'Namba ya uthibitisho',
  confirm: 'Thibitisha',
  sendingCode: 'Namba yako inaangaliwa. Itachukua sekunde chache.',
  challengeTitle: 'Thibitisha na benki yako',
  challengeText: 'Benki yako inakuomba uthibitishe kuwa ni wewe.',
  challengeFrame: 'Uthibitisho wa kadi',
  challengeWindow: 'Fungua ukurasa wa benki yako katika dirisha jipya',
  challengeBlocked:
    'Ukurasa wa benki yako hauwezi kufunguka hapa. Fungua duka katika dirisha lake lenyewe.',
  confirmingTitle: 'Malipo yako yanathibitishwa',
  confirmingText: 'Benki yako inashughulikia. Inaweza kuchukua dakika moja.',
  elsewhereTitle: 'Malipo haya yanaendelea',
  elsewhereText:
    'Yalianzishwa katika dirisha lingine au kwenye kifaa kingine. Yamalize huko, na matokeo yataonekana hapa. Yasipomalizika kwa wakati, unaweza kulipa hapa.',
  unsureTitle: 'Malipo yako yanathibitishwa',
  unsureText:
    'Muunganisho umekatika. Tafadhali usilipe tena. Bado tunaangalia, na duka litathibitisha.',
  silentText:
    'Huduma ya malipo haijibu. Tafadhali usilipe tena. Tunaangalia tena kila sekunde chache.',

  leaving: {
    prompt: {
      title: 'Ungependa kuondoka tukiwa bado tunasubiri?',
      text: 'Ombi bado lipo kwenye simu yako. Likatae hapo kama hutaki kulipa.',
      stay: 'Endelea kusubiri',
      leave: 'Funga tu',
    },
    withdrawal: {
      title: 'Ungependa kuondoka tukiwa bado tunasubiri?',
      text: 'Tunaghairi ombi kwenye simu yako. Likiendelea kuonekana hapo, likatae.',
      stay: 'Endelea kusubiri',
      leave: 'Funga tu',
    },
    challenge: {
      title: 'Ungependa kuondoka bila kumaliza?',
      text: 'Hujamaliza kuthibitisha na benki yako. Kama tayari umeidhinisha kwenye programu ya benki, malipo bado yanaweza kufanikiwa.',
      stay: 'Maliza kulipa',
      leave: 'Ondoka',
    },
    code: {
      title: 'Ungependa kuondoka bila kumaliza?',
      text: 'Mtandao wako unasubiri namba ya uthibitisho. Bila hiyo, malipo haya hayatafanikiwa.',
      stay: 'Maliza kulipa',
      leave: 'Ondoka',
    },
    unknown: {
      title: 'Malipo yako bado yanathibitishwa',
      text: 'Ukifunga sasa, tutaliarifu duka mara tutakapojua.',
      stay: 'Endelea kusubiri',
      leave: 'Funga tu',
    },
  },

  successTitle: 'Malipo yamefanikiwa',
  alreadyPaidText: (merchant) => `Hii ilishalipwa kwa ${merchant}. Hujatozwa tena.`,
  receipt: {
    paidTo: 'Malipo kwa',
    paidWith: 'Njia ya kulipa',
    email: 'Barua pepe',
    date: 'Tarehe',
    reference: 'Kumbukumbu namba',
    copy: 'Nakili kumbukumbu namba',
    copied: 'Imenakiliwa',
  },
  done: 'Maliza',
  backIn: (shop, seconds) => `Utarudi ${shop} baada ya sekunde\u00a0${seconds}`,
  over: {
    time: {
      title: 'Muda umekwisha',
      text: 'Hujatozwa pesa. Rudi dukani ili uanze tena.',
    },
    tries: {
      title: 'Hakuna majaribio yaliyobaki',
      text: 'Malipo hayakufanikiwa. Hujatozwa pesa. Rudi dukani ili uanze tena.',
    },
  },
  offlineTitle: 'Huna mtandao wa intaneti.',
  offlineText: 'Hakuna kilichotumwa, na hujatozwa pesa.',
  leavingTyped: {
    title: 'Ungependa kuondoka bila kulipa?',
    text: 'Hujatozwa pesa.',
    stay: 'Endelea kulipa',
    leave: 'Ondoka',
  },
  backToShop: 'Rudi dukani',
  timeShort: 'Zimebaki chini ya dakika 2.',
  getMoreTime: 'Pata muda zaidi',
  moreTimeGiven: 'Sasa una muda zaidi wa kulipa.',
  unreachableTitle: 'Huduma ya malipo haijibu',
  unreachableText: 'Hujatozwa pesa. Jaribu tena baada ya muda mfupi.',
  unreachableAgainText:
    'Tafadhali usilipe tena. Bado hatujui malipo yako yaliishaje. Jaribu tena baada ya muda mfupi ili uone.',
  refusedAgainText: (error) =>
    `Huenda malipo yako ya awali yalikamilika (kosa\u00a0${error}). Usilipe tena kwa sasa. Rudi dukani: duka litayathibitisha.`,
  tryAgain: 'Jaribu tena',
  refusals: {
    reference_used: {
      title: 'Malipo haya hayawezi kuendelea',
      text: 'Rudi dukani ili uanze tena (kosa\u00a004). Hujatozwa pesa sasa.',
    },
    not_authorized: {
      title: 'Malipo hayajawezeshwa hapa',
      text: 'Tafadhali lijulishe duka (kosa\u00a009). Hujatozwa pesa.',
    },
    denied: {
      title: 'Malipo hayajawezeshwa hapa',
      text: 'Tafadhali lijulishe duka (kosa\u00a013). Hujatozwa pesa.',
    },
    no_channel: {
      title: 'Hakuna njia ya kulipa inayopatikana',
      text: 'Duka hili haliwezi kupokea malipo haya (kosa\u00a001). Hujatozwa pesa.',
    },
    refused: {
      title: 'Malipo haya hayawezi kukubaliwa',
      text: 'Tafadhali lijulishe duka (kosa\u00a001). Hujatozwa pesa.',
    },
  },
};
