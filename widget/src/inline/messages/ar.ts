import type { Messages } from '../messages.ts';

const NOT_PAID = 'لم يُخصم منك أي مبلغ.';

/** Arabic, to be reviewed by a native speaker before it goes live. */
export const messages: Messages = {
  lang: 'ar',
  dialog: 'الدفع',
  frame: 'دفع آمن',
  close: 'إغلاق الدفع',
  pay: 'ادفع',
  retry: 'حاول مرة أخرى',
  loading: 'جارٍ تجهيز الدفع…',
  slowLoading: 'الاتصال بطيء. يمكنك إغلاق هذه النافذة؛ لم يُخصم منك أي مبلغ.',
  unconfirmed: 'انقطع الاتصال. يُرجى عدم الدفع مرة أخرى: سيؤكد المتجر الدفع.',
  prepareFailed: `لم يتمكن المتجر من تجهيز عملية الدفع هذه. ${NOT_PAID}`,
  offline: `أنت غير متصل بالإنترنت. ${NOT_PAID} سنحاول مرة أخرى عند عودة الاتصال.`,
  unreachable: `يتعذر الوصول إلى خدمة الدفع. ${NOT_PAID}`,
  failing: `حدث خطأ من جانبنا. ${NOT_PAID}`,
  slow: `يستغرق تحميل نموذج الدفع وقتًا طويلًا. ${NOT_PAID}`,
  policy: `هذه الصفحة تحجب نموذج الدفع. ${NOT_PAID} يُرجى إبلاغ المتجر.`,
  refused: `لم يتم إعداد الدفع هنا. ${NOT_PAID} يُرجى إبلاغ المتجر.`,
  outdated: `برنامج الدفع في هذه الصفحة قديم جدًا. ${NOT_PAID} يُرجى إبلاغ المتجر.`,
  stopped: `توقف نموذج الدفع عن الاستجابة. ${NOT_PAID}`,
};
