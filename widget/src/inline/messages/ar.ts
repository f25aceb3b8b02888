import type { Messages } from '../messages.ts';

const NOT_PAID = 'لم يُخصم منك أي مبلغ.';
const SILENT = `خدمة الدفع لا تستجيب. ${NOT_PAID}`;
const UNOPENED = `لم يُفتح نموذج الدفع. ${NOT_PAID}`;

/** Arabic, to be reviewed by a native speaker before it goes live. */
export const messages: Messages = {
  lang: 'ar',
  dialog: 'الدفع',
  frame: 'دفع آمن',
  close: 'إغلاق الدفع',
  pay: 'ادفع',
  back: 'العودة إلى المتجر',
  retry: 'حاول مرة أخرى',
  loading: 'جارٍ تجهيز الدفع…',
  slowLoading: 'الاتصال بطيء. يمكنك إغلاق هذه النافذة؛ لم يُخصم منك أي مبلغ.',
  unconfirmed: 'لم يتأكد الدفع بعد. يُرجى عدم الدفع مرة أخرى: سيؤكد المتجر الدفع.',
  prepareFailed: `لم يتمكن المتجر من تجهيز عملية الدفع هذه. ${NOT_PAID}`,
  offline: `أنت غير متصل بالإنترنت. ${NOT_PAID} سنحاول مرة أخرى عند عودة الاتصال.`,
  unreachable: SILENT,
  failing: `حدث خطأ من جانبنا. ${NOT_PAID}`,
  slow: UNOPENED,
  policy: `هذه الصفحة تحجب نموذج الدفع. ${NOT_PAID} يُرجى إبلاغ المتجر.`,
  refused: UNOPENED,
  outdated: `برنامج الدفع في هذه الصفحة قديم جدًا. ${NOT_PAID} يُرجى إبلاغ المتجر.`,
  stopped: SILENT,
};
