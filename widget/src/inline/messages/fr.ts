import type { Messages } from '../messages.ts';

const NOT_PAID = 'Votre compte n’a pas été débité.';
const SILENT = `Le service de paiement ne répond pas. ${NOT_PAID}`;
const UNOPENED = `Le formulaire de paiement ne s’est pas ouvert. ${NOT_PAID}`;

/** French, to be reviewed by a native speaker before it goes live. */
export const messages: Messages = {
  lang: 'fr',
  dialog: 'Paiement',
  frame: 'Paiement sécurisé',
  close: 'Fermer le paiement',
  pay: 'Payer',
  back: 'Retour à la boutique',
  retry: 'Réessayer',
  loading: 'Préparation de votre paiement…',
  slowLoading: 'Connexion lente. Vous pouvez fermer\u00a0: votre compte n’a pas été débité.',
  unconfirmed:
    'Votre paiement n’est pas encore confirmé. Ne payez pas de nouveau\u00a0: la boutique confirmera.',
  prepareFailed: `La boutique n’a pas pu préparer ce paiement. ${NOT_PAID}`,
  offline: `Vous êtes hors ligne. ${NOT_PAID} Nous réessaierons dès que vous serez de nouveau en ligne.`,
  unreachable: SILENT,
  failing: `Nous rencontrons un problème. ${NOT_PAID}`,
  slow: UNOPENED,
  policy: `Cette page bloque le formulaire de paiement. ${NOT_PAID} Merci de prévenir la boutique.`,
  refused: UNOPENED,
  outdated: `Le script de paiement de cette page est trop ancien. ${NOT_PAID} Merci de prévenir la boutique.`,
  stopped: SILENT,
};
