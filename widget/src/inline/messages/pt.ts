import type { Messages } from '../messages.ts';

const NOT_PAID = 'Não lhe foi cobrado nada.';
const SILENT = `O serviço de pagamento não responde. ${NOT_PAID}`;
const UNOPENED = `O formulário de pagamento não abriu. ${NOT_PAID}`;

/** Portuguese, to be reviewed by a native speaker before it goes live. */
export const messages: Messages = {
  lang: 'pt',
  dialog: 'Pagamento',
  frame: 'Pagamento seguro',
  close: 'Fechar pagamento',
  pay: 'Pagar',
  back: 'Voltar à loja',
  retry: 'Tentar de novo',
  loading: 'A preparar o seu pagamento…',
  slowLoading: 'Ligação lenta. Pode fechar esta janela; não lhe foi cobrado nada.',
  unconfirmed:
    'O seu pagamento ainda não está confirmado. Por favor, não volte a pagar: a loja irá confirmar.',
  prepareFailed: `A loja não conseguiu preparar este pagamento. ${NOT_PAID}`,
  offline: `Está sem ligação à internet. ${NOT_PAID} Tentaremos de novo quando a ligação voltar.`,
  unreachable: SILENT,
  failing: `Há um problema do nosso lado. ${NOT_PAID}`,
  slow: UNOPENED,
  policy: `Esta página bloqueia o formulário de pagamento. ${NOT_PAID} Por favor, avise a loja.`,
  refused: UNOPENED,
  outdated: `O programa de pagamento desta página é demasiado antigo. ${NOT_PAID} Por favor, avise a loja.`,
  stopped: SILENT,
};
