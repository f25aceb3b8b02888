import type { Messages } from '../messages.ts';

const NOT_PAID = 'Hujatozwa pesa.';
const SILENT = `Huduma ya malipo haijibu. ${NOT_PAID}`;
const UNOPENED = `Fomu ya malipo haikufunguka. ${NOT_PAID}`;

/** Swahili, to be reviewed by a native speaker before it goes live. */
export const messages: Messages = {
  lang: 'sw',
  dialog: 'Malipo',
  frame: 'Malipo salama',
  close: 'Funga malipo',
  pay: 'Lipa',
  back: 'Rudi dukani',
  retry: 'Jaribu tena',
  loading: 'Malipo yako yanaandaliwa…',
  slowLoading: 'Mtandao uko polepole. Unaweza kufunga dirisha hili; hujatozwa pesa.',
  unconfirmed: 'Malipo yako bado hayajathibitishwa. Tafadhali usilipe tena: duka litathibitisha.',
  prepareFailed: `Duka halikuweza kuandaa malipo haya. ${NOT_PAID}`,
  offline: `Huna mtandao wa intaneti. ${NOT_PAID} Tutajaribu tena mtandao utakaporudi.`,
  unreachable: SILENT,
  failing: `Kuna hitilafu upande wetu. ${NOT_PAID}`,
  slow: UNOPENED,
  policy: `Ukurasa huu unazuia fomu ya malipo. ${NOT_PAID} Tafadhali lijulishe duka.`,
  refused: UNOPENED,
  outdated: `Programu ya malipo ya ukurasa huu ni ya zamani mno. ${NOT_PAID} Tafadhali lijulishe duka.`,
  stopped: SILENT,
};
