import { SERVICE_NAME } from '@service-pay/contract/service-name';
import type { Messages } from './all-words.ts';

/** French, to be reviewed by a native speaker before it goes live. */
export const messages: Messages = {
  title: 'Paiement sécurisé',
  language: 'Langue',
  languageSwitched: 'Le paiement s’affiche maintenant en français.',
  testMode: 'Mode test',
  loading: 'Préparation de votre paiement',
  chooseHowToPay: (merchant) => `Choisissez comment payer ${merchant}`,
  howToPay: 'Moyen de paiement',
  channels: { card: 'Carte', 'mobile-money': 'Mobile money' },
  amount: 'Montant',
  fee: 'Frais',
  total: 'Total',
  pay: (amount) => `Payer ${amount}`,
  paying: (amount) => `Paiement de ${amount}…`,
  securedBy: `Sécurisé par ${SERVICE_NAME}`,
  sending: 'L’envoi prend quelques secondes.',
  stillSending:
    'Envoi toujours en cours. Gardez cette fenêtre ouverte\u00a0: votre compte ne sera pas débité deux fois.',

  cardNumber: 'Numéro de carte',
  expiryDate: 'Date d’expiration',
  expiryPlaceholder: 'MM / AA',
  securityCode: 'Code de sécurité',
  securityCodeHint: (digits) =>
    digits === 4
      ? 'Les 4 chiffres au recto de votre carte'
      : 'Les 3 chiffres au dos de votre carte',
  nameOnCard: 'Nom sur la carte',
  billingIntroduction: 'L’adresse de facturation de cette carte est nécessaire.',
  streetAddress: 'Adresse',
  city: 'Ville',
  state: 'État ou province',
  stateHint: 'Laissez vide s’il n’y en a pas',
  postalCode: 'Code postal',
  country: 'Pays de facturation',

  network: 'Réseau',
  phoneNumber: 'Numéro de téléphone',
  phoneOtherNetwork: (network) =>
    `C’est un numéro ${network}. Choisissez ${network} ou utilisez un autre numéro.`,
  phoneOtherCountry: (code) =>
    code === '260'
      ? 'Utilisez un numéro zambien (+260).'
      : `Utilisez un numéro qui commence par +${code}.`,
  useNetwork: (network) => `Utiliser ${network}`,
  useCard: 'Utiliser une carte',
  beforePrompt:
    'Nous allons envoyer une demande à ce téléphone. Ne saisissez jamais votre code PIN ici.',
  usually: (time) => `Le paiement prend en général environ ${time}.`,
  networkNotices: {
    slow: (network) =>
      `${network} est lent en ce moment. La demande peut prendre quelques minutes.`,
    down: (network) =>
      `${network} ne fonctionne pas en ce moment. La demande risque de ne pas arriver sur ce téléphone.`,
  },

  testExplained: 'Aucun argent réel n’est débité. Choisissez un numéro pour remplir le formulaire.',
  testNumbers: {
    successful: 'Accepté',
    challenged: 'Demande l’accord de la banque',
    declined: 'Refusé',
    notEnough: 'Solde insuffisant',
    billing: 'Demande l’adresse de facturation',
    slow: 'Prend 20 secondes',
    code: 'Demande un code',
    waiting: 'Attend votre validation',
    unanswered: 'Ne répond jamais',
  },

  checkFields: 'Vérifiez ces champs',

  problems: {
    'card-number-missing': 'Saisissez le numéro de carte.',
    'card-number-invalid': 'Vérifiez le numéro de carte.',
    'card-number-too-long': 'Ce numéro de carte est trop long.',
    'card-brand-not-accepted': 'Cette boutique n’accepte pas ce type de carte.',
    'card-not-a-test-card':
      'Utilisez une carte de test, par exemple 4242\u00a04242\u00a04242\u00a04242.',
    'expiry-missing': 'Saisissez la date d’expiration.',
    'expiry-invalid': 'Saisissez le mois et l’année, par exemple 12/34.',
    'expiry-past': 'Cette carte a expiré.',
    'security-code-missing': 'Saisissez le code de sécurité.',
    'security-code-invalid': 'Saisissez les 3 ou 4 chiffres de votre carte.',
    'security-code-of-3': 'Saisissez les 3 chiffres au dos.',
    'security-code-of-4': 'Saisissez les 4 chiffres au recto.',
    'name-missing': 'Saisissez le nom qui figure sur la carte.',
    'billing-required': 'Remplissez ce champ pour utiliser cette carte.',
    'network-missing': 'Choisissez votre réseau.',
    'phone-missing': 'Saisissez le numéro de téléphone.',
    'phone-invalid': 'Vérifiez le numéro de téléphone.',
    'phone-other-network':
      'Ce numéro est d’un autre réseau. Choisissez ce réseau ou utilisez un autre numéro.',
    'code-invalid': 'Saisissez les 4 à 8 chiffres du message.',
    'code-wrong': 'Code incorrect. Réessayez.',
    'code-not-sent': 'Le code n’a pas pu être envoyé. Réessayez.',
  },
  unknownProblem: 'Nous n’avons pas pu accepter cette saisie.',

  declines: {
    'Card declined': 'Carte refusée par la banque.',
    'Not enough funds': 'Votre solde est insuffisant.',
    'Card expired': 'Cette carte a expiré.',
    'Card verification declined': 'Votre banque n’a pas confirmé.',
    'Card verification timed out': 'Délai de confirmation dépassé.',
    'Withdrawal amount limit exceeded': 'Le montant dépasse le plafond.',
    'Transaction unauthorized': 'Le paiement n’a pas été validé.',
    'Incorrect Pin': 'Code PIN incorrect.',
    'Transaction Timed Out': 'Paiement non validé à temps.',
    'Wrong one-time code': 'Code incorrect.',
    'One-time code not entered in time': 'Code non saisi à temps.',
  },
  notEnoughOnCard: 'Solde insuffisant sur cette carte.',
  notCharged: 'Votre compte n’a pas été débité.',
  declined: 'Paiement refusé',
  declinedBefore: 'Votre dernière tentative n’a pas abouti. Votre compte n’a pas été débité.',
  tryCardOrPhone: 'Essayez une autre carte ou payez par mobile money.',
  tryPhoneOrCard: 'Réessayez ou payez autrement.',
  tryAnotherCard: 'Réessayez ou utilisez une autre carte.',
  tryAnotherPhone: 'Réessayez ou utilisez un autre numéro.',
  notSent: 'Paiement non envoyé',
  notArrived:
    'Votre paiement ne nous est pas parvenu. Votre compte n’a pas été débité. Veuillez réessayer.',
  formRejected:
    'Le paiement n’a pas pu être envoyé. Votre compte n’a pas été débité. Veuillez réessayer.',

  promptTitle: 'Validez le paiement sur votre téléphone',
  promptText: (network, phone, amount) =>
    `Saisissez votre code PIN ${network} sur le ${phone} pour payer ${amount}.`,
  promptNothing: 'Rien ne s’affiche ? Déverrouillez votre téléphone. Cela peut prendre une minute.',
  promptDial: (code) => `Rien ne s’affiche ? Composez le ${code}`,
  openTestPhone: 'Ouvrir le téléphone de test',
  stepSent: 'Demande envoyée à votre téléphone',
  stepApprove: 'Validez avec votre code PIN',
  stepDone: 'Terminé. Cette page s’actualise seule.',
  sendAgain: 'Renvoyer la demande',
  sentAgain: 'Renvoyée à l’instant',
  useAnotherOrCard: 'Autre numéro ou paiement par carte',
  useAnother: 'Utiliser un autre numéro',
  withdrawing: 'Annulation de la demande sur votre téléphone…',
  requestCancelled: 'Demande annulée. Votre compte n’a pas été débité.',
  stillOnPhone:
    'La demande est peut-être encore ouverte sur votre téléphone. Réessayez une fois la connexion rétablie.',
  noNewCode: 'Aucun nouveau code n’a été envoyé. Réessayez une fois la connexion rétablie.',
  stuckTitle: 'Refusez la première demande sur votre téléphone',
  stuckText:
    'Nous ne pouvons pas l’annuler d’ici. Quand vous l’aurez refusée, vous pourrez utiliser un autre numéro ou payer autrement. Si vous la validez quand même, le paiement sera effectué.',
  checkAgain: 'Vérifier à nouveau',
  noNews: 'Rien de nouveau pour l’instant.',
  promptSomewhere: (amount) =>
    `Pour payer ${amount}, saisissez votre code PIN sur le téléphone avec lequel vous avez commencé.`,
  timeLeft: (minutes, seconds) => `Encore ${minutes}:${seconds}`,
  stillWaiting:
    'Toujours en attente. Gardez cette page ouverte ou fermez-la\u00a0: nous préviendrons la boutique.',
  stillConfirming:
    'Toujours en attente. Vous pouvez laisser cette page ouverte ou la fermer\u00a0: la boutique sera informée du résultat.',
  codeTitle: 'Saisissez le code reçu',
  codeText: (phone) => `Nous avons envoyé un code par SMS au ${phone}.`,
  codeSent: 'Votre réseau vous a envoyé un code par SMS.',
  sendNewCode: 'Envoyer un nouveau code',
  codeWrong: (left) =>
    left === 1
      ? 'Code incorrect. Il vous reste une tentative.'
      : `Code incorrect. Il vous reste ${left} tentatives.`,
  code: 'Code à usage unique',
  confirm: 'Confirmer',
  sendingCode: 'Vérification de votre code. Cela prend quelques secondes.',
  challengeTitle: 'Confirmez auprès de votre banque',
  challengeText: 'Votre banque vous demande de confirmer que c’est bien vous.',
  challengeFrame: 'Vérification de la carte',
  challengeWindow: 'Ouvrir la page de votre banque dans une nouvelle fenêtre',
  challengeBlocked:
    'La page de votre banque ne peut pas s’ouvrir ici. Ouvrez la boutique dans sa propre fenêtre.',
  confirmingTitle: 'Confirmation de votre paiement',
  confirmingText: 'Votre banque s’en occupe. Cela peut prendre une minute.',
  elsewhereTitle: 'Ce paiement est en cours',
  elsewhereText:
    'Il a commencé dans une autre fenêtre ou sur un autre appareil. Terminez\u2011le là\u2011bas\u00a0: le résultat s’affichera ici. S’il n’est pas terminé à temps, vous pourrez payer ici.',
  unsureTitle: 'Votre paiement est en cours de confirmation',
  unsureText:
    'Connexion perdue. Ne payez pas de nouveau. Nous vérifions encore, et la boutique confirmera.',
  silentText:
    'Le service de paiement ne répond pas. Ne payez pas de nouveau. Nous vérifions toutes les quelques secondes.',

  leaving: {
    prompt: {
      title: 'Quitter pendant l’attente ?',
      text: 'La demande reste ouverte sur votre téléphone. Si vous ne voulez pas payer, refusez-la.',
      stay: 'Continuer à attendre',
      leave: 'Fermer quand même',
    },
    withdrawal: {
      title: 'Quitter pendant l’attente\u00a0?',
      text: 'Nous annulons la demande sur votre téléphone. Si elle s’y affiche encore, refusez-la.',
      stay: 'Continuer à attendre',
      leave: 'Fermer quand même',
    },
    challenge: {
      title: 'Quitter sans terminer ?',
      text: 'Vous n’avez pas terminé la confirmation auprès de votre banque. Si vous l’avez déjà validée dans l’application de la banque, le paiement peut encore aboutir.',
      stay: 'Terminer le paiement',
      leave: 'Quitter',
    },
    code: {
      title: 'Quitter sans terminer ?',
      text: 'Votre réseau attend le code. Sans lui, ce paiement n’aboutira pas.',
      stay: 'Terminer le paiement',
      leave: 'Quitter',
    },
    unknown: {
      title: 'Votre paiement est encore en cours de confirmation',
      text: 'Si vous fermez maintenant, nous préviendrons la boutique dès que nous connaîtrons le résultat.',
      stay: 'Continuer à attendre',
      leave: 'Fermer quand même',
    },
  },

  successTitle: 'Paiement réussi',
  alreadyPaidText: (merchant) =>
    `Ce paiement à ${merchant} a déjà été effectué. Votre compte n’a pas été débité une deuxième fois.`,
  receipt: {
    paidTo: 'Payé à',
    paidWith: 'Payé avec',
    email: 'E-mail',
    date: 'Date du paiement',
    reference: 'Référence',
    copy: 'Copier la référence',
    copied: 'Copié',
  },
  done: 'Terminer',
  backIn: (shop, seconds) => `Retour à ${shop} dans ${seconds}\u00a0s`,
  over: {
    time: {
      title: 'Temps écoulé',
      text: 'Votre compte n’a pas été débité. Retournez à la boutique pour recommencer.',
    },
    tries: {
      title: 'Plus aucune tentative',
      text: 'Le paiement n’a pas abouti. Votre compte n’a pas été débité. Retournez à la boutique pour recommencer.',
    },
  },
  offlineTitle: 'Vous êtes hors ligne.',
  offlineText: 'Rien n’a été envoyé, et votre compte n’a pas été débité.',
  leavingTyped: {
    title: 'Quitter sans payer ?',
    text: 'Votre compte n’a pas été débité.',
    stay: 'Continuer le paiement',
    leave: 'Quitter',
  },
  backToShop: 'Retour à la boutique',
  timeShort: 'Il reste moins de 2 minutes.',
  getMoreTime: 'Obtenir plus de temps',
  moreTimeGiven: 'Vous avez maintenant plus de temps pour payer.',
  noMoreTime: 'Le délai n’a pas pu être prolongé.',
  unreachableTitle: 'Le service de paiement ne répond pas',
  unreachableText: 'Votre compte n’a pas été débité. Réessayez dans un instant.',
  unreachableAgainText:
    'Ne payez pas de nouveau. Nous ne savons pas encore comment votre paiement s’est terminé.',
  rejectedAgainText: (error) =>
    `Votre paiement précédent a peut-être abouti (erreur\u00a0${error}). Ne payez pas de nouveau pour l’instant. Retournez à la boutique, qui le confirmera.`,
  tryAgain: 'Réessayer',
  rejections: {
    reference_used: {
      title: 'Ce paiement ne peut pas être poursuivi',
      text: 'Retournez à la boutique pour recommencer (erreur\u00a004). Votre compte n’a pas été débité cette fois.',
    },
    not_authorized: {
      title: 'Les paiements ne sont pas configurés ici',
      text: 'Merci de prévenir la boutique (erreur\u00a009). Votre compte n’a pas été débité.',
    },
    denied: {
      title: 'Les paiements ne sont pas configurés ici',
      text: 'Merci de prévenir la boutique (erreur\u00a013). Votre compte n’a pas été débité.',
    },
    no_channel: {
      title: 'Aucun moyen de paiement disponible',
      text: 'Cette boutique ne peut pas encaisser ce paiement (erreur\u00a001). Votre compte n’a pas été débité.',
    },
    rejected: {
      title: 'Ce paiement ne peut pas être accepté',
      text: 'Merci de prévenir la boutique (erreur\u00a001). Votre compte n’a pas été débité.',
    },
  },
};
