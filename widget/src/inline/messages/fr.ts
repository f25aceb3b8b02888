import type { Messages } from '../messages.ts';

const NOT_PAID = 'Votre compte n’a pas été débité.';

/** French, to be reviewed by a native speaker before it goes live. */
export const messages: Messages = {
  lang: 'fr',
  dialog: 'Paiement',
  frame: 'Paiement sécurisé',
  close: 'Fermer le paiement',
  pay: 'Payer',
  retry: 'Réessayer',
  loading: 'Préparation de votre paiement…',
  slowLoading: 'Connexion lente. Vous pouvez fermer\u00a0: votre compte n’a pas été débité.',
  unconfirmed: 'Connexion perdue. Ne payez pas de nouveau\u00a0: la boutique confirmera.',
  prepareFailed: `La boutique n’a pas pu préparer ce paiement. ${NOT_PAID}`,
  offline: `Vous êtes hors ligne. ${NOT_PAID} Nous réessaierons dès que vous serez de nouveau en ligne.`,
  unreachable: `Le service de paiement est injoignable. ${NOT_PAID}`,
  failing: `Nous rencontrons un problème. ${NOT_PAID}`,
  slow: `Le formulaire de paiement met trop de temps à s’afficher. ${NOT_PAID}`,
  policy: `Cette page bloque le formulaire de paiement. ${NOT_PAID} Merci de prévenir la boutique.`,
  refused: `Les paiements ne sont pas configurés ici. ${NOT_PAID} Merci de prévenir la boutique.`,
  outdated: `Le script de paiement de cette page est trop ancien. ${NOT_PAID} Merci de prévenir la boutique.`,
  stopped: `Le formulaire de paiement ne répond plus. ${NOT_PAID}`,
};
