import type { Messages } from '../messages.ts';

const NOT_PAID = 'Nada lhe foi cobrado.';

/** Portuguese, to be reviewed by a native speaker before it goes live. */
export const messages: Messages = {
  lang: 'pt',
  dialog: 'Pagamento',
  frame: 'Pagamento seguro',
  close: 'Fechar pagamento',
  pay: 'Pagar',
  retry: 'Tentar de novo',
  loading: 'A preparar o seu pagamento…',
  slowLoading: 'Ligação lenta. Pode fechar esta janela; nada lhe foi cobrado.',
  unconfirmed:
    'A ligação perdeu-se enquanto o seu pagamento está a ser confirmado. Ainda não pague outra vez. Tente de novo para ver o resultado, ou feche esta janela: a loja irá confirmá-lo.',
  prepareFailed: `A loja não conseguiu preparar este pagamento. ${NOT_PAID} Tente de novo, ou pergunte à loja.`,
  offline: `Parece que está sem ligação à internet. ${NOT_PAID} Verifique a ligação e tente de novo.`,
  unreachable: `Não é possível contactar o serviço de pagamento. ${NOT_PAID} Tente de novo daqui a pouco.`,
  failing: `O serviço de pagamento tem uma avaria. ${NOT_PAID} Tente de novo daqui a pouco.`,
  slow: `O formulário de pagamento demora demasiado a abrir. ${NOT_PAID} Verifique a ligação e tente de novo.`,
  policy: `Esta página bloqueia o formulário de pagamento. ${NOT_PAID} Por favor, avise a loja.`,
  refused: `O serviço de pagamento não abriu para esta página. ${NOT_PAID} Tente de novo, ou avise a loja.`,
  outdated: `O programa de pagamento desta página é demasiado antigo. ${NOT_PAID} Por favor, avise a loja.`,
  stopped: `O formulário de pagamento deixou de responder. ${NOT_PAID} Tente de novo.`,
};
