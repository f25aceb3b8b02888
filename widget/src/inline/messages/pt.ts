import type { Messages } from '../messages.ts';

const NOT_PAID = 'Não lhe foi cobrado nada.';

/** Portuguese, to be reviewed by a native speaker before it goes live. */
export const messages: Messages = {
  lang: 'pt',
  dialog: 'Pagamento',
  frame: 'Pagamento seguro',
  close: 'Fechar pagamento',
  pay: 'Pagar',
  retry: 'Tentar de novo',
  loading: 'A preparar o seu pagamento…',
  slowLoading: 'Ligação lenta. Pode fechar esta janela; não lhe foi cobrado nada.',
  unconfirmed: 'Ligação perdida. Por favor, não volte a pagar: a loja irá confirmar.',
  prepareFailed: `A loja não conseguiu preparar este pagamento. ${NOT_PAID}`,
  offline: `Está sem ligação à internet. ${NOT_PAID} Tentaremos de novo quando a ligação voltar.`,
  unreachable: `Não é possível contactar o serviço de pagamento. ${NOT_PAID}`,
  failing: `Há um problema do nosso lado. ${NOT_PAID}`,
  slow: `O formulário de pagamento demora demasiado a abrir. ${NOT_PAID}`,
  policy: `Esta página bloqueia o formulário de pagamento. ${NOT_PAID} Por favor, avise a loja.`,
  refused: `Os pagamentos não estão configurados aqui. ${NOT_PAID} Por favor, avise a loja.`,
  outdated: `O programa de pagamento desta página é demasiado antigo. ${NOT_PAID} Por favor, avise a loja.`,
  stopped: `O formulário de pagamento deixou de responder. ${NOT_PAID}`,
};
