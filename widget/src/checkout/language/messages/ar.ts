import { SERVICE_NAME } from '@service-pay/contract/service-name';
import type { Messages } from './all-words.ts';

/** Isolates a name or number within a sentence, so that the sentence keeps its order. */
const apart = (text: string) => `\u2068${text}\u2069`;

/**
 * Arabic, to be reviewed by a native speaker before it goes live. Counts are worded to need none of
 * the six plurals.
 */
export const messages: Messages = {
  title: 'دفع آمن',
  language: 'اللغة',
  languageSwitched: 'يُعرض الدفع الآن بالعربية.',
  testMode: 'وضع الاختبار',
  loading: 'جارٍ تجهيز الدفع',
  chooseHowToPay: (merchant) => `اختر طريقة الدفع إلى ${apart(merchant)}`,
  howToPay: 'طريقة الدفع',
  channels: { card: 'بطاقة', 'mobile-money': 'محفظة إلكترونية' },
  amount: 'المبلغ',
  fee: 'الرسوم',
  total: 'الإجمالي',
  pay: (amount) => `ادفع ${amount}`,
  paying: (amount) => `جارٍ دفع ${amount}…`,
  securedBy: `دفع محمي من ${SERVICE_NAME}`,
  sending: 'جارٍ إرسال الدفع. يستغرق ذلك بضع ثوانٍ.',
  stillSending: 'ما زال الإرسال جاريًا. أبقِ هذه النافذة مفتوحة: لن يُخصم منك المبلغ مرتين.',

  cardNumber: 'رقم البطاقة',
  expiryDate: 'تاريخ الانتهاء',
  expiryPlaceholder: 'شهر / سنة',
  securityCode: 'رمز الأمان',
  securityCodeHint: (digits) =>
    digits === 4 ? 'الأرقام الأربعة على وجه البطاقة' : 'الأرقام الثلاثة على ظهر البطاقة',
  nameOnCard: 'الاسم على البطاقة',
  billingIntroduction: 'تحتاج هذه البطاقة إلى عنوان الفوترة.',
  streetAddress: 'عنوان الشارع',
  city: 'المدينة',
  state: 'الولاية أو المقاطعة',
  stateHint: 'اتركه فارغًا إن لم يوجد',
  postalCode: 'الرمز البريدي',
  country: 'بلد الفوترة',

  network: 'الشبكة',
  phoneNumber: 'رقم الهاتف',
  phoneOtherNetwork: (network) =>
    `هذا الرقم من شبكة ${apart(network)}. اختر ${apart(network)} أو استخدم رقمًا آخر.`,
  phoneOtherCountry: (code) =>
    code === '260'
      ? 'استخدم رقمًا من زامبيا (\u2066+260\u2069).'
      : `استخدم رقمًا يبدأ بـ \u2066+${code}\u2069.`,
  useNetwork: (network) => `استخدم ${apart(network)}`,
  useCard: 'استخدام بطاقة',
  beforePrompt: 'سنرسل طلبًا إلى هذا الهاتف. لا تكتب رقمك السري هنا أبدًا.',
  usually: (time) => `يستغرق الدفع عادةً نحو ${time}.`,
  networkNotices: {
    slow: (network) => `شبكة ${apart(network)} بطيئة حاليًا. قد يستغرق الطلب بضع دقائق.`,
    down: (network) => `شبكة ${apart(network)} لا تعمل حاليًا. قد لا يصل الطلب إلى هذا الهاتف.`,
  },

  testExplained: 'لا تُخصم أي أموال حقيقية. اختر رقمًا لملء النموذج.',
  testNumbers: {
    successful: 'ناجح',
    challenged: 'يطلب تأكيد البنك',
    declined: 'مرفوض',
    notEnough: 'الرصيد لا يكفي',
    billing: 'يطلب عنوان الفوترة',
    slow: 'يستغرق 20 ثانية',
    code: 'يطلب رمزًا',
    waiting: 'ينتظر موافقتك',
    unanswered: 'لا يُرد عليه أبدًا',
  },

  checkFields: 'تحقق من هذه الحقول',

  problems: {
    'card-number-missing': 'أدخل رقم البطاقة.',
    'card-number-invalid': 'تحقق من رقم البطاقة.',
    'card-number-too-long': 'رقم البطاقة هذا أطول من اللازم.',
    'card-brand-not-accepted': 'لا يقبل هذا المتجر هذا النوع من البطاقات.',
    'card-not-a-test-card':
      'استخدم بطاقة اختبار مثل \u20664242\u00a04242\u00a04242\u00a04242\u2069.',
    'expiry-missing': 'أدخل تاريخ الانتهاء.',
    'expiry-invalid': 'أدخل الشهر والسنة مثل \u206612/34\u2069.',
    'expiry-past': 'انتهت صلاحية هذه البطاقة.',
    'security-code-missing': 'أدخل رمز الأمان.',
    'security-code-invalid': 'أدخل رمز الأمان على بطاقتك، وهو 3 أو 4 أرقام.',
    'security-code-of-3': 'أدخل رمز الأمان على ظهر البطاقة، وهو 3 أرقام.',
    'security-code-of-4': 'أدخل رمز الأمان على وجه البطاقة، وهو 4 أرقام.',
    'name-missing': 'أدخل الاسم المكتوب على البطاقة.',
    'billing-required': 'املأ هذا الحقل لاستخدام هذه البطاقة.',
    'network-missing': 'اختر شبكتك.',
    'phone-missing': 'أدخل رقم الهاتف.',
    'phone-invalid': 'تحقق من رقم الهاتف.',
    'phone-other-network': 'هذا الرقم من شبكة أخرى. اختر تلك الشبكة أو استخدم رقمًا آخر.',
    'code-invalid': 'أدخل أرقام الرسالة، وهي من 4 إلى 8.',
    'code-wrong': 'رمز خاطئ. حاول مرة أخرى.',
    'code-not-sent': 'تعذر إرسال الرمز. حاول مرة أخرى.',
  },
  unknownProblem: 'لم نتمكن من قبول هذا.',

  declines: {
    'Card declined': 'رفض البنك هذه البطاقة.',
    'Not enough funds': 'رصيدك غير كافٍ.',
    'Card expired': 'انتهت صلاحية هذه البطاقة.',
    'Card verification declined': 'لم يؤكد البنك عملية الدفع.',
    'Card verification timed out': 'انتهت مهلة التأكيد لدى البنك.',
    'Withdrawal amount limit exceeded': 'المبلغ يتجاوز حد هذا الحساب.',
    'Transaction unauthorized': 'لم تتم الموافقة على الدفع.',
    'Incorrect Pin': 'الرقم السري غير صحيح.',
    'Transaction Timed Out': 'لم تتم الموافقة على الدفع في الوقت المحدد.',
    'Wrong one-time code': 'رمز خاطئ.',
    'One-time code not entered in time': 'لم يُدخل الرمز في الوقت المحدد.',
  },
  notEnoughOnCard: 'رصيد هذه البطاقة غير كافٍ.',
  notCharged: 'لم يُخصم منك أي مبلغ.',
  declined: 'رُفضت عملية الدفع',
  declinedBefore: 'لم تنجح محاولتك الأخيرة. لم يُخصم منك أي مبلغ.',
  tryCardOrPhone: 'جرّب بطاقة أخرى أو ادفع من محفظتك الإلكترونية.',
  tryPhoneOrCard: 'حاول مرة أخرى أو ادفع بطريقة أخرى.',
  tryAnotherCard: 'حاول مرة أخرى أو استخدم بطاقة أخرى.',
  tryAnotherPhone: 'حاول مرة أخرى أو استخدم رقمًا آخر.',
  notSent: 'لم تُرسل عملية الدفع',
  notArrived: 'لم تصل إلينا عملية الدفع. لم يُخصم منك أي مبلغ. يُرجى المحاولة مرة أخرى.',
  formRejected: 'تعذر إرسال عملية الدفع. لم يُخصم منك أي مبلغ. يُرجى المحاولة مرة أخرى.',

  promptTitle: 'وافق على الدفع من هاتفك',
  promptText: (network, phone, amount) =>
    `أدخل الرقم السري لمحفظة ${apart(network)} على الهاتف ${apart(phone)} لدفع ${amount}.`,
  promptNothing: 'لم يصل شيء بعد؟ افتح قفل هاتفك. قد يستغرق الأمر دقيقة.',
  promptDial: (code) => `لم تظهر رسالة؟ اطلب ${apart(code)}`,
  openTestPhone: 'افتح هاتف الاختبار',
  stepSent: 'أُرسل الطلب إلى هاتفك',
  stepApprove: 'أدخل رقمك السري على الهاتف',
  stepDone: 'تم. تُحدَّث هذه الصفحة تلقائيًا.',
  sendAgain: 'إرسال الطلب مرة أخرى',
  sentAgain: 'أُرسل مرة أخرى الآن',
  useAnotherOrCard: 'استخدام رقم آخر أو الدفع بالبطاقة',
  useAnother: 'استخدام رقم آخر',
  withdrawing: 'جارٍ إلغاء الطلب على هاتفك…',
  requestCancelled: 'أُلغي الطلب. لم يُخصم منك أي مبلغ.',
  stillOnPhone: 'قد يكون الطلب ما زال مفتوحًا على هاتفك. حاول مرة أخرى بعد عودة الاتصال.',
  noNewCode: 'لم يُرسل رمز جديد. حاول مرة أخرى بعد عودة الاتصال.',
  stuckTitle: 'ارفض الطلب الأول على هاتفك',
  stuckText:
    'لا يمكننا إلغاؤه من هنا. بعد أن ترفضه يمكنك استخدام رقم آخر أو الدفع بطريقة أخرى. وإذا وافقت عليه رغم ذلك فسيتم الدفع.',
  checkAgain: 'تحقق مرة أخرى',
  noNews: 'لا جديد حتى الآن.',
  promptSomewhere: (amount) => `لدفع ${amount}، أدخل رقمك السري على الهاتف الذي بدأت منه.`,
  timeLeft: (minutes, seconds) => `الوقت المتبقي \u2066${minutes}:${seconds}\u2069`,
  stillWaiting:
    'ما زلنا ننتظر. يمكنك ترك هذه النافذة مفتوحة أو إغلاقها: سنبلغ المتجر فور تأكيد شبكتك.',
  stillConfirming: 'ما زلنا ننتظر. يمكنك ترك هذه النافذة مفتوحة أو إغلاقها: سيعرف المتجر النتيجة.',
  codeTitle: 'أدخل الرمز الذي أُرسل إليك',
  codeText: (phone) => `أرسلنا رمزًا في رسالة نصية إلى ${apart(phone)}.`,
  codeSent: 'أرسلت شبكتك إليك رمزًا في رسالة نصية.',
  sendNewCode: 'إرسال رمز جديد',
  codeWrong: (left) =>
    left === 1 ? 'رمز خاطئ. بقيت محاولة واحدة.' : `رمز خاطئ. عدد المحاولات المتبقية: ${left}.`,
  code: 'رمز التحقق',
  confirm: 'تأكيد',
  sendingCode: 'جارٍ التحقق من الرمز. يستغرق ذلك بضع ثوانٍ.',
  challengeTitle: 'أكّد الدفع لدى البنك',
  challengeText: 'يطلب البنك منك تأكيد هويتك.',
  challengeFrame: 'التحقق من البطاقة',
  challengeWindow: 'افتح صفحة البنك في نافذة جديدة',
  challengeBlocked: 'لا يمكن فتح صفحة البنك هنا. افتح المتجر في نافذة خاصة به.',
  confirmingTitle: 'جارٍ تأكيد الدفع',
  confirmingText: 'يعالج البنك عملية الدفع. قد يستغرق الأمر دقيقة.',
  elsewhereTitle: 'عملية الدفع قيد التنفيذ',
  elsewhereText:
    'بدأت في نافذة أخرى أو على جهاز آخر. أكملها هناك وستظهر النتيجة هنا. وإذا لم تكتمل في الوقت المحدد فيمكنك الدفع هنا.',
  unsureTitle: 'جارٍ تأكيد الدفع',
  unsureText: 'انقطع الاتصال. يُرجى عدم الدفع مرة أخرى. ما زلنا نتحقق، وسيؤكد المتجر الدفع.',
  silentText: 'خدمة الدفع لا تستجيب. يُرجى عدم الدفع مرة أخرى. نتحقق من جديد كل بضع ثوانٍ.',

  leaving: {
    prompt: {
      title: 'هل تغادر ونحن ننتظر؟',
      text: 'يبقى الطلب مفتوحًا على هاتفك. إذا كنت لا تريد الدفع فارفضه.',
      stay: 'متابعة الانتظار',
      leave: 'إغلاق على أي حال',
    },
    withdrawal: {
      title: 'هل تغادر ونحن ننتظر؟',
      text: 'جارٍ إلغاء الطلب على هاتفك. إذا بقي ظاهرًا عليه فارفضه.',
      stay: 'متابعة الانتظار',
      leave: 'إغلاق على أي حال',
    },
    challenge: {
      title: 'هل تغادر قبل الإكمال؟',
      text: 'لم تكمل التأكيد لدى البنك. إذا كنت قد وافقت في تطبيق البنك فقد تتم عملية الدفع مع ذلك.',
      stay: 'إكمال الدفع',
      leave: 'مغادرة',
    },
    code: {
      title: 'هل تغادر قبل الإكمال؟',
      text: 'شبكتك تنتظر الرمز. لن تتم عملية الدفع من دونه.',
      stay: 'إكمال الدفع',
      leave: 'مغادرة',
    },
    unknown: {
      title: 'لا يزال الدفع قيد التأكيد',
      text: 'إذا أغلقت الآن فسنبلغ المتجر فور معرفة النتيجة.',
      stay: 'متابعة الانتظار',
      leave: 'إغلاق على أي حال',
    },
  },

  successTitle: 'تم الدفع بنجاح',
  alreadyPaidText: (merchant) => `سبق دفع هذا المبلغ إلى ${apart(merchant)}. لم يُخصم منك مرة أخرى.`,
  receipt: {
    paidTo: 'دُفع إلى',
    paidWith: 'طريقة الدفع',
    email: 'البريد الإلكتروني',
    date: 'التاريخ',
    reference: 'الرقم المرجعي',
    copy: 'نسخ الرقم المرجعي',
    copied: 'تم النسخ',
  },
  done: 'تم',
  backIn: (shop, seconds) => `العودة إلى ${apart(shop)} خلال ${seconds}\u00a0ث`,
  over: {
    time: {
      title: 'انتهى الوقت',
      text: 'لم يُخصم منك أي مبلغ. عد إلى المتجر للبدء من جديد.',
    },
    tries: {
      title: 'لم تبقَ أي محاولة',
      text: 'لم يتم الدفع. لم يُخصم منك أي مبلغ. عد إلى المتجر للبدء من جديد.',
    },
  },
  offlineTitle: 'أنت غير متصل بالإنترنت.',
  offlineText: 'لم يُرسل شيء، ولم يُخصم منك أي مبلغ.',
  leavingTyped: {
    title: 'هل تغادر من دون الدفع؟',
    text: 'لم يُخصم منك أي مبلغ.',
    stay: 'متابعة الدفع',
    leave: 'مغادرة',
  },
  backToShop: 'العودة إلى المتجر',
  timeShort: 'بقي أقل من دقيقتين.',
  getMoreTime: 'الحصول على وقت إضافي',
  moreTimeGiven: 'أصبح لديك الآن وقت إضافي للدفع.',
  noMoreTime: 'تعذّرت إضافة وقت.',
  unreachableTitle: 'خدمة الدفع لا تستجيب',
  unreachableText: 'لم يُخصم منك أي مبلغ. حاول مرة أخرى بعد قليل.',
  unreachableAgainText: 'يُرجى عدم الدفع مرة أخرى. لا نعرف بعد كيف انتهى الدفع.',
  rejectedAgainText: (error) =>
    `ربما تمّت دفعتك السابقة (خطأ\u00a0${error}). لا تدفع مرة أخرى الآن. عد إلى المتجر: سيؤكد المتجر الدفع.`,
  tryAgain: 'حاول مرة أخرى',
  rejections: {
    reference_used: {
      title: 'لا يمكن متابعة عملية الدفع هذه',
      text: 'عد إلى المتجر للبدء من جديد (خطأ\u00a004). لم يُخصم منك أي مبلغ الآن.',
    },
    not_authorized: {
      title: 'لم يتم إعداد الدفع هنا',
      text: 'يُرجى إبلاغ المتجر (خطأ\u00a009). لم يُخصم منك أي مبلغ.',
    },
    denied: {
      title: 'لم يتم إعداد الدفع هنا',
      text: 'يُرجى إبلاغ المتجر (خطأ\u00a013). لم يُخصم منك أي مبلغ.',
    },
    no_channel: {
      title: 'لا توجد وسيلة دفع متاحة',
      text: 'لا يستطيع هذا المتجر قبول عملية الدفع هذه (خطأ\u00a001). لم يُخصم منك أي مبلغ.',
    },
    rejected: {
      title: 'لا يمكن قبول عملية الدفع هذه',
      text: 'يُرجى إبلاغ المتجر (خطأ\u00a001). لم يُخصم منك أي مبلغ.',
    },
  },
};
