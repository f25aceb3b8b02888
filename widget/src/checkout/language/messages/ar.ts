import type { Messages } from './messages.ts';

/**
 * A name or number inside a sentence, in a direction of its own, so that the sentence keeps its
 * order.
 */
const apart = (text: string) => `\u2068${text}\u2069`;

/**
 * Arabic, to be reviewed by a native speaker before it goes live. Counts are worded so that none of
 * the six plurals is needed.
 */
export const messages: Messages = {
  title: 'دفع آمن',
  language: 'اللغة',
  languageSwitched: 'يُعرض الدفع الآن بالعربية.',
  testMode: 'وضع الاختبار',
  loading: 'جارٍ تجهيز الدفع',
  chooseHowToPay: (merchant) => `اختر طريقة الدفع إلى ${apart(merchant)}`,
  howToPay: 'طريقة الدفع',
  channels: { card: 'بطاقة', 'mobile-money': 'محفظة الهاتف' },
  amount: 'المبلغ',
  fee: 'الرسوم',
  total: 'الإجمالي',
  pay: (amount) => `ادفع ${amount}`,
  paying: (amount) => `جارٍ دفع ${amount}…`,
  securedBy: 'دفع محمي من ServicePay',
  sending: 'جارٍ إرسال الدفع. يستغرق ذلك بضع ثوانٍ.',

  cardNumber: 'رقم البطاقة',
  expiryDate: 'تاريخ الانتهاء',
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
  useNetwork: (network) => `استخدم ${apart(network)}`,
  beforePrompt: 'سنرسل طلبًا إلى هذا الهاتف. لا تكتب رقمك السري هنا أبدًا.',

  testExplained: 'لا تُخصم أي أموال حقيقية. اختر رقمًا لملء النموذج.',
  testNumbers: {
    successful: 'ناجح',
    challenged: 'يطلب تأكيد المصرف',
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
    'card-brand-not-accepted': 'لا يقبل هذا المتجر هذا النوع من البطاقات.',
    'card-not-a-test-card': 'استخدم بطاقة اختبار مثل \u20664242 4242 4242 4242\u2069.',
    'expiry-missing': 'أدخل تاريخ الانتهاء.',
    'expiry-invalid': 'أدخل الشهر والسنة مثل \u206612/34\u2069.',
    'expiry-past': 'انتهت صلاحية هذه البطاقة.',
    'security-code-missing': 'أدخل رمز الأمان.',
    'security-code-invalid': 'أدخل أرقام الأمان الثلاثة أو الأربعة على بطاقتك.',
    'security-code-of-3': 'أدخل الأرقام الثلاثة على ظهر البطاقة.',
    'security-code-of-4': 'أدخل الأرقام الأربعة على وجه البطاقة.',
    'name-missing': 'أدخل الاسم المكتوب على البطاقة.',
    'billing-required': 'املأ هذا الحقل لاستخدام هذه البطاقة.',
    'network-missing': 'اختر شبكتك.',
    'phone-missing': 'أدخل رقم الهاتف.',
    'phone-invalid': 'تحقق من رقم الهاتف.',
    'phone-other-network': 'هذا الرقم من شبكة أخرى. اختر تلك الشبكة أو استخدم رقمًا آخر.',
    'code-invalid': 'أدخل أرقام الرسالة، وهي من 4 إلى 8.',
    'code-wrong': 'هذا الرمز غير صحيح. حاول مرة أخرى.',
    'code-not-sent': 'تعذر إرسال الرمز. حاول مرة أخرى.',
  },
  unknownProblem: 'لم يُقبل هذا. تحقق منه وحاول مرة أخرى.',

  declines: {
    'Card declined': 'رفض مصرفك هذه البطاقة.',
    'Not enough funds': 'الرصيد لا يكفي لهذا الدفع.',
    'Card expired': 'انتهت صلاحية هذه البطاقة.',
    'Card verification declined': 'لم يؤكد مصرفك هذا الدفع.',
    'Card verification timed out': 'لم يصل ردك إلى مصرفك في الوقت المحدد.',
    'Withdrawal amount limit exceeded': 'المبلغ أعلى من حد هذا الحساب.',
    'Transaction unauthorized': 'لم تتم الموافقة على الدفع.',
    'Incorrect Pin': 'الرقم السري غير صحيح.',
    'Transaction Timed Out': 'لم تتم الموافقة على الدفع في الوقت المحدد.',
    'Wrong one-time code': 'الرمز غير صحيح.',
    'One-time code not entered in time': 'لم يُدخل الرمز في الوقت المحدد.',
  },
  notCharged: 'لم يُخصم منك أي مبلغ.',
  declined: 'رُفض الدفع',
  declinedBefore: 'لم تنجح محاولة الدفع الأخيرة، ولم يُخصم عنها أي مبلغ. يمكنك المحاولة مرة أخرى.',
  tryCardOrPhone: 'جرّب بطاقة أخرى أو ادفع من محفظة الهاتف.',
  tryPhoneOrCard: 'حاول مرة أخرى، أو استخدم رقمًا آخر، أو ادفع بالبطاقة.',
  tryAnotherCard: 'حاول مرة أخرى أو استخدم بطاقة أخرى.',
  tryAnotherPhone: 'حاول مرة أخرى أو استخدم رقمًا آخر.',
  notSent: 'لم يُرسل الدفع',
  notArrived: 'لم يصل إلينا دفعك. لم يُخصم منك أي مبلغ. يُرجى المحاولة مرة أخرى.',
  formRefused: 'تعذر إرسال الدفع. لم يُخصم منك أي مبلغ. يُرجى المحاولة مرة أخرى.',

  promptTitle: 'وافق على الدفع من هاتفك',
  promptText: (network, phone, amount) =>
    `أدخل رقمك السري لدى ${apart(network)} في الهاتف ${apart(phone)} لدفع ${amount}.`,
  promptNothing: 'لم يصل شيء بعد؟ افتح قفل هاتفك. قد يستغرق الأمر دقيقة.',
  promptDial: (code) => `لم تظهر رسالة؟ اطلب ${apart(code)}`,
  stepSent: 'أُرسل الطلب إلى هاتفك',
  stepApprove: 'أدخل رقمك السري في الهاتف',
  stepDone: 'تم. تتحدث هذه الصفحة من تلقاء نفسها.',
  sendAgain: 'إرسال الطلب مرة أخرى',
  useAnotherOrCard: 'استخدام رقم آخر أو الدفع بالبطاقة',
  useAnother: 'استخدام رقم آخر',
  withdrawing: 'جارٍ إلغاء الطلب على هاتفك…',
  stuckTitle: 'ارفض الطلب الأول على هاتفك',
  stuckText: 'لا يمكننا إلغاؤه من هنا. بعد أن ترفضه يمكنك استخدام رقم آخر أو الدفع بطريقة أخرى.',
  promptSomewhere: (amount) =>
    `أدخل رقمك السري في الهاتف الذي بدأ منه هذا الدفع للموافقة على ${amount}.`,
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
  code: 'رمز لمرة واحدة',
  confirm: 'تأكيد',
  sendingCode: 'جارٍ التحقق من الرمز. يستغرق ذلك بضع ثوانٍ.',
  challengeTitle: 'أكّد الدفع لدى مصرفك',
  challengeText: 'يطلب مصرفك منك تأكيد أنك أنت. للخروج اضغط على إغلاق الدفع.',
  challengeFrame: 'التحقق من البطاقة',
  challengeWindow: 'افتح صفحة مصرفك في نافذة جديدة',
  confirmingTitle: 'جارٍ تأكيد الدفع',
  confirmingText: 'يعمل مصرفك على ذلك. قد يستغرق الأمر دقيقة، فاترك هذه النافذة مفتوحة.',
  elsewhereTitle: 'هذا الدفع قيد التنفيذ',
  elsewhereText: 'بدأ في نافذة أخرى أو على جهاز آخر. أكمله هناك وستظهر النتيجة هنا.',
  unsureTitle: 'جارٍ تأكيد الدفع',
  unsureText: 'انقطع الاتصال. يُرجى عدم الدفع مرة أخرى: ما زلنا نتحقق، وسيؤكد المتجر الدفع.',

  leaving: {
    prompt: {
      title: 'هل تغادر ونحن ننتظر؟',
      text: 'يبقى الطلب مفتوحًا على هاتفك. ارفضه هناك إن لم ترد الدفع.',
      stay: 'متابعة الانتظار',
      leave: 'إغلاق على أي حال',
    },
    challenge: {
      title: 'هل تغادر قبل الإكمال؟',
      text: 'لم تكمل التأكيد لدى مصرفك. إن كنت قد وافقت في تطبيق مصرفك فقد يتم الدفع مع ذلك.',
      stay: 'إكمال الدفع',
      leave: 'مغادرة',
    },
    code: {
      title: 'هل تغادر قبل الإكمال؟',
      text: 'شبكتك تنتظر الرمز. لن يتم هذا الدفع من دونه.',
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
  overTitle: 'انتهى هذا الدفع',
  overTimeText: 'انتهى الوقت. لم يُخصم منك أي مبلغ. عد إلى المتجر للبدء من جديد.',
  overAttemptsText:
    'لم يتم الدفع ولا يمكن تكرار المحاولة هنا. لم يُخصم منك أي مبلغ. عد إلى المتجر للبدء من جديد.',
  offlineTitle: 'أنت غير متصل بالإنترنت.',
  offlineText: 'لم يُرسل شيء، ولم يُخصم منك أي مبلغ.',
  leavingTyped: {
    title: 'هل تغادر من دون الدفع؟',
    text: 'لم يُخصم منك أي مبلغ.',
    stay: 'متابعة الدفع',
    leave: 'مغادرة',
  },
  backToShop: 'العودة إلى المتجر',
  timeShort: 'بقي أقل من دقيقتين للدفع.',
  getMoreTime: 'الحصول على وقت إضافي',
  moreTimeGiven: 'أصبح لديك الآن وقت إضافي للدفع.',
  unreachableTitle: 'يتعذر الوصول إلى خدمة الدفع',
  unreachableText: 'لم يُخصم منك أي مبلغ. تحقق من اتصالك وحاول مرة أخرى.',
  unreachableAgainText:
    'لا نعرف بعد كيف انتهى الدفع. لا تدفع مرة أخرى الآن. تحقق من اتصالك وحاول مرة أخرى.',
  refusedAgainText: (error) =>
    `لا نعرف بعد كيف انتهى الدفع (خطأ ${error}). لا تدفع مرة أخرى الآن. عد إلى المتجر: سيؤكد المتجر الدفع.`,
  tryAgain: 'حاول مرة أخرى',
  refusals: {
    reference_used: {
      title: 'سبق استخدام رابط الدفع هذا',
      text: 'عد إلى المتجر للبدء من جديد (خطأ 04). لم يُخصم منك أي مبلغ الآن.',
    },
    not_authorized: {
      title: 'لم يتم إعداد الدفع هنا',
      text: 'يُرجى إبلاغ المتجر (خطأ 09). لم يُخصم منك أي مبلغ.',
    },
    denied: {
      title: 'لم يتم إعداد الدفع هنا',
      text: 'يُرجى إبلاغ المتجر (خطأ 13). لم يُخصم منك أي مبلغ.',
    },
    no_channel: {
      title: 'لا توجد وسيلة دفع متاحة',
      text: 'لا يستطيع هذا المتجر استلام هذا الدفع (خطأ 01). لم يُخصم منك أي مبلغ.',
    },
    refused: {
      title: 'لا يمكن استلام هذا الدفع',
      text: 'يُرجى إبلاغ المتجر (خطأ 01). لم يُخصم منك أي مبلغ.',
    },
  },
};
