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
  takenBy: (merchant) => `تستلم ServicePay هذا الدفع لصالح ${apart(merchant)}.`,
  sending: 'جارٍ إرسال الدفع. يستغرق ذلك بضع ثوانٍ.',

  cardNumber: 'رقم البطاقة',
  expiryDate: 'تاريخ الانتهاء',
  expiryHint: 'الشهر والسنة كما على البطاقة',
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
  countryHint: `اسمه أو حرفان مثل ${apart('ZM')}`,

  network: 'الشبكة',
  phoneNumber: 'رقم الهاتف',
  phoneHint: 'ستوافق على الدفع من هذا الهاتف.',
  networkFound: (network) => `يبدو أن هذا الرقم من شبكة ${apart(network)}.`,

  checkFields: 'تحقق من هذه الحقول',

  problems: {
    'card-number-missing': 'أدخل الرقم المكتوب على بطاقتك.',
    'card-number-invalid': 'رقم البطاقة غير صحيح. تحقق منه.',
    'card-not-a-test-card': 'استخدم بطاقة اختبار مثل \u20664242 4242 4242 4242\u2069.',
    'expiry-missing': 'أدخل الشهر والسنة المكتوبين على بطاقتك.',
    'expiry-invalid': 'أدخل الشهر والسنة مثل \u206612/34\u2069.',
    'expiry-past': 'مضى هذا التاريخ. تحقق منه.',
    'security-code-invalid': 'أدخل أرقام الأمان الثلاثة أو الأربعة على بطاقتك.',
    'security-code-of-3': 'أدخل الأرقام الثلاثة على ظهر البطاقة.',
    'security-code-of-4': 'أدخل الأرقام الأربعة على وجه البطاقة.',
    'name-missing': 'أدخل الاسم المكتوب على بطاقتك.',
    'billing-required': 'املأ هذا الحقل لاستخدام هذه البطاقة.',
    'country-invalid': 'أدخل البلد باسمه أو بحرفين.',
    'network-missing': 'اختر شبكة هاتفك.',
    'phone-missing': 'أدخل رقم الهاتف الذي ستدفع منه.',
    'phone-invalid': 'رقم الهاتف غير صحيح. تحقق منه.',
    'phone-other-network': 'هذا الرقم ليس من الشبكة المختارة.',
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
  declinedOtherwise: 'لم يتم الدفع.',
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
  promptSteps: (digits, amount) =>
    `أدخل رقمك السري في الهاتف المنتهي بالأرقام ${apart(digits)} للموافقة على ${amount}.`,
  promptSomewhere: (amount) =>
    `أدخل رقمك السري في الهاتف الذي بدأ منه هذا الدفع للموافقة على ${amount}.`,
  promptNetwork: (network) =>
    `أرسلت شبكة ${apart(network)} الطلب إلى هاتفك. لا ترى شيئًا؟ افتح قفل الهاتف وانتظر قليلًا.`,
  timeLeft: (minutes, seconds) => `الوقت المتبقي \u2066${minutes}:${seconds}\u2069`,
  stillWaiting:
    'ما زلنا ننتظر. يمكنك ترك هذه النافذة مفتوحة أو إغلاقها: سنبلغ المتجر فور تأكيد شبكتك.',
  stillConfirming: 'ما زلنا ننتظر. يمكنك ترك هذه النافذة مفتوحة أو إغلاقها: سيعرف المتجر النتيجة.',
  codeTitle: 'أدخل الرمز الذي أُرسل إليك',
  codeText: 'أرسلت شبكتك رمزًا في رسالة إلى هاتفك.',
  code: 'رمز لمرة واحدة',
  codesLeft: (left) => `عدد المحاولات المتبقية: ${left}.`,
  codeWrong: (left) => `الرمز غير صحيح. عدد المحاولات المتبقية: ${left}.`,
  confirm: 'تأكيد',
  sendingCode: 'جارٍ التحقق من الرمز. يستغرق ذلك بضع ثوانٍ.',
  challengeTitle: 'أكّد الدفع لدى مصرفك',
  challengeText: 'يريد مصرفك أن يتأكد من أنك أنت. للخروج اضغط على إغلاق الدفع.',
  challengeFrame: 'التحقق من البطاقة',
  challengeWindow: 'افتح صفحة مصرفك في نافذة جديدة',
  confirmingTitle: 'جارٍ تأكيد الدفع',
  confirmingText: 'يعمل مصرفك على ذلك. قد يستغرق الأمر دقيقة، فاترك هذه النافذة مفتوحة.',
  elsewhereTitle: 'هذا الدفع قيد التنفيذ',
  elsewhereText: 'بدأ في نافذة أخرى أو على جهاز آخر. أكمله هناك وستظهر النتيجة هنا.',
  unsureTitle: 'جارٍ تأكيد الدفع',
  unsureText: 'تعذر الوصول إلى الشبكة لمعرفة النتيجة. لا تدفع مرة أخرى الآن: سيؤكد المتجر الدفع.',
  leavingTitle: 'لا يزال الدفع قيد التأكيد',
  leavingText: 'إذا أغلقت الآن فقد يتم الدفع مع ذلك. سيعرف المتجر النتيجة.',
  keepWaiting: 'متابعة الانتظار',
  closeAnyway: 'إغلاق على أي حال',

  successTitle: 'تم الدفع بنجاح',
  successText: (amount, merchant) => `دفعت ${amount} إلى ${apart(merchant)}.`,
  alreadyPaidText: (merchant) => `سبق دفع هذا المبلغ إلى ${apart(merchant)}. لم يُخصم منك مرة أخرى.`,
  done: 'تم',
  overTitle: 'انتهى هذا الدفع',
  overTimeText: 'انتهى وقت الدفع. لم يُخصم منك أي مبلغ. عد إلى المتجر للبدء من جديد.',
  overAttemptsText:
    'لم يتم الدفع ولا يمكن تكرار المحاولة هنا. لم يُخصم منك أي مبلغ. عد إلى المتجر للبدء من جديد.',
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
      title: 'لا يمكن استخدام هذا الدفع مرة أخرى',
      text: 'سبق استخدام رقمه المرجعي (خطأ 04). لم يُخصم منك أي مبلغ الآن. عد إلى المتجر للبدء من جديد.',
    },
    not_authorized: {
      title: 'هذا المتجر غير مهيأ لاستلام المدفوعات هنا',
      text: 'مفتاحه غير معروف لهذه الخدمة (خطأ 09). لا يُخصم أي مبلغ. يُرجى إبلاغ المتجر.',
    },
    denied: {
      title: 'لا يحق لهذه الصفحة استلام المدفوعات',
      text: 'الخدمة لا تعرف هذه الصفحة (خطأ 13). لا يُخصم أي مبلغ. يُرجى إبلاغ المتجر.',
    },
    no_channel: {
      title: 'لم تبقَ أي طريقة للدفع',
      text: 'لا يوفر هذا المتجر طريقة لدفع هذا المبلغ بهذه العملة (خطأ 01). لا يُخصم أي مبلغ.',
    },
    refused: {
      title: 'لا يمكن استلام هذا الدفع',
      text: 'طلب المتجر ما لا تستطيع الخدمة فعله (خطأ 01). لا يُخصم أي مبلغ. يُرجى إبلاغ المتجر.',
    },
  },
};
