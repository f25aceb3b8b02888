import type { Messages } from '../messages.ts';

const NOT_PAID = 'Hujatozwa pesa.';

/** Swahili, to be reviewed by a native speaker before it goes live. */
export const messages: Messages = {
  lang: 'sw',
  dialog: 'Malipo',
  frame: 'Malipo salama',
  close: 'Funga malipo',
  pay: 'Lipa',
  retry: 'Jaribu tena',
  loading: 'Malipo yako yanaandaliwa…',
  slowLoading: 'Mtandao uko polepole. Unaweza kufunga dirisha hili; hujatozwa pesa.',
  unconfirmed: 'Muunganisho umekatika. Tafadhali usilipe tena: duka litathibitisha.',
  prepareFailed: `Duka halikuweza kuandaa malipo haya. ${NOT_PAID}`,
  offline: `Huna mtandao wa intaneti. ${NOT_PAID} Tutajaribu tena mtandao utakaporudi.`,
  unreachable: `Huduma ya malipo haipatikani. ${NOT_PAID}`,
  failing: `Kuna hitilafu upande wetu. ${NOT_PAID}`,
  slow: `Fomu ya malipo inachukua muda mrefu kufunguka. ${NOT_PAID}`,
  policy: `Ukurasa huu unazuia fomu ya malipo. ${NOT_PAID} Tafadhali lijulishe duka.`,
  refused: `Malipo hayajawezeshwa hapa. ${NOT_PAID} Tafadhali lijulishe duka.`,
  outdated: `Programu ya malipo ya ukurasa huu ni ya zamani mno. ${NOT_PAID} Tafadhali lijulishe duka.`,
  stopped: `Fomu ya malipo imeacha kujibu. ${NOT_PAID}`,
};
