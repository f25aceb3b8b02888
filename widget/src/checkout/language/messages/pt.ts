import { SERVICE_NAME } from '@service-pay/contract/service-name';
import type { Messages } from './all-words.ts';

/** Portuguese, to be reviewed by a native speaker before it goes live. */
export const messages: Messages = {
  title: 'Pagamento seguro',
  language: 'Idioma',
  languageSwitched: 'O pagamento aparece agora em português.',
  testMode: 'Modo de teste',
  loading: 'A preparar o seu pagamento',
  chooseHowToPay: (merchant) => `Escolha como pagar a ${merchant}`,
  howToPay: 'Forma de pagamento',
  channels: { card: 'Cartão', 'mobile-money': 'Carteira móvel' },
  amount: 'Valor',
  fee: 'Taxa',
  total: 'Total',
  pay: (amount) => `Pagar ${amount}`,
  paying: (amount) => `A pagar ${amount}…`,
  securedBy: `Protegido pela ${SERVICE_NAME}`,
  sending: 'O envio demora alguns segundos.',
  stillSending: 'O envio continua. Mantenha esta janela aberta: não lhe será cobrado duas vezes.',

  cardNumber: 'Número do cartão',
  expiryDate: 'Data de validade',
  expiryPlaceholder: 'MM / AA',
  securityCode: 'Código de segurança',
  securityCodeHint: (digits) =>
    digits === 4 ? 'Os 4 dígitos na frente do cartão' : 'Os 3 dígitos no verso do cartão',
  nameOnCard: 'Nome no cartão',
  billingIntroduction: 'Este cartão precisa da sua morada de faturação.',
  streetAddress: 'Morada',
  city: 'Cidade',
  state: 'Estado ou província',
  stateHint: 'Deixe vazio se não houver',
  postalCode: 'Código postal',
  country: 'País de faturação',

  network: 'Rede',
  phoneNumber: 'Número de telemóvel',
  phoneOtherNetwork: (network) =>
    `Este é um número da ${network}. Escolha ${network} ou use outro número.`,
  phoneOtherCountry: (code) =>
    code === '260' ? 'Use um número da Zâmbia (+260).' : `Use um número que comece por +${code}.`,
  useNetwork: (network) => `Usar ${network}`,
  useCard: 'Usar um cartão',
  beforePrompt: 'Vamos enviar um pedido para este telemóvel. Nunca introduza o seu PIN aqui.',
  usually: (time) => `O pagamento demora normalmente cerca de ${time}.`,
  networkNotices: {
    slow: (network) =>
      `A ${network} está lenta neste momento. O pedido pode demorar alguns minutos.`,
    down: (network) =>
      `A ${network} não está a funcionar neste momento. O pedido pode não chegar a este telemóvel.`,
  },

  testExplained:
    'Nenhum dinheiro real é movimentado. Escolha um número para preencher o formulário.',
  testNumbers: {
    successful: 'Aprovado',
    challenged: 'Pede confirmação ao banco',
    declined: 'Recusado',
    notEnough: 'Saldo insuficiente',
    billing: 'Pede a morada de faturação',
    slow: 'Demora 20 segundos',
    code: 'Pede um código',
    waiting: 'Espera pela sua aprovação',
    unanswered: 'Nunca responde',
  },

  checkFields: 'Verifique estes campos',

  problems: {
    'card-number-missing': 'Introduza o número do cartão.',
    'card-number-invalid': 'Verifique o número do cartão.',
    'card-number-too-long': 'Este número de cartão é demasiado longo.',
    'card-brand-not-accepted': 'Esta loja não aceita este tipo de cartão.',
    'card-not-a-test-card':
      'Use um cartão de teste, por exemplo 4242\u00a04242\u00a04242\u00a04242.',
    'expiry-missing': 'Introduza a data de validade.',
    'expiry-invalid': 'Introduza o mês e o ano, por exemplo 12/34.',
    'expiry-past': 'Este cartão já expirou.',
    'security-code-missing': 'Introduza o código de segurança.',
    'security-code-invalid': 'Introduza os 3 ou 4 dígitos do seu cartão.',
    'security-code-of-3': 'Introduza os 3 dígitos do verso.',
    'security-code-of-4': 'Introduza os 4 dígitos da frente.',
    'name-missing': 'Introduza o nome que está no cartão.',
    'billing-required': 'Preencha este campo para usar este cartão.',
    'network-missing': 'Escolha a sua rede.',
    'phone-missing': 'Introduza o número de telemóvel.',
    'phone-invalid': 'Verifique o número de telemóvel.',
    'phone-other-network': 'Este número é de outra rede. Escolha essa rede ou use outro número.',
    'code-invalid': 'Introduza os 4 a 8 dígitos da mensagem.',
    'code-wrong': 'Código incorreto. Tente de novo.',
    'code-not-sent': 'O código não foi enviado. Tente de novo.',
  },
  unknownProblem: 'Não conseguimos aceitar isto.',

  declines: {
    'Card declined': 'O seu banco recusou este cartão.',
    'Not enough funds': 'O seu saldo é insuficiente.',
    'Card expired': 'Este cartão já expirou.',
    'Card verification declined': 'O seu banco não confirmou.',
    'Card verification timed out': 'O tempo para confirmar acabou.',
    'Withdrawal amount limit exceeded': 'O valor ultrapassa o limite desta conta.',
    'Transaction unauthorized': 'O pagamento não foi aprovado.',
    'Incorrect Pin': 'PIN incorreto.',
    'Transaction Timed Out': 'O pagamento não foi aprovado a tempo.',
    'Wrong one-time code': 'Código incorreto.',
    'One-time code not entered in time': 'O código não foi introduzido a tempo.',
  },
  notEnoughOnCard: 'Saldo insuficiente neste cartão.',
  notCharged: 'Não lhe foi cobrado nada.',
  declined: 'Pagamento recusado',
  declinedBefore: 'A sua última tentativa não foi concluída. Não lhe foi cobrado nada.',
  tryCardOrPhone: 'Tente outro cartão ou a carteira móvel.',
  tryPhoneOrCard: 'Tente de novo ou pague de outra forma.',
  tryAnotherCard: 'Tente de novo ou use outro cartão.',
  tryAnotherPhone: 'Tente de novo ou use outro número.',
  notSent: 'Pagamento não enviado',
  notArrived:
    'O seu pagamento não chegou até nós. Não lhe foi cobrado nada. Por favor, tente de novo.',
  formRejected:
    'Não foi possível enviar o pagamento. Não lhe foi cobrado nada. Por favor, tente de novo.',

  promptTitle: 'Aprove o pagamento no seu telemóvel',
  promptText: (network, phone, amount) =>
    `Introduza o seu PIN da ${network} no ${phone} para pagar ${amount}.`,
  promptNothing: 'Ainda nada? Desbloqueie o telemóvel. Pode demorar um minuto.',
  promptDial: (code) => `Não aparece nada? Marque ${code}`,
  openTestPhone: 'Abrir o telemóvel de teste',
  stepSent: 'Pedido enviado para o seu telemóvel',
  stepApprove: 'Introduza o seu PIN no telemóvel',
  stepDone: 'Pronto. Esta página atualiza-se sozinha.',
  sendAgain: 'Enviar o pedido de novo',
  sentAgain: 'Enviado de novo agora mesmo',
  useAnotherOrCard: 'Usar outro número ou pagar com cartão',
  useAnother: 'Usar outro número',
  withdrawing: 'A cancelar o pedido no seu telemóvel…',
  requestCancelled: 'Pedido cancelado. Não lhe foi cobrado nada.',
  stillOnPhone:
    'O pedido pode continuar aberto no seu telemóvel. Tente de novo quando a ligação voltar.',
  noNewCode: 'Nenhum novo código foi enviado. Tente de novo quando a ligação voltar.',
  stuckTitle: 'Recuse o primeiro pedido no seu telemóvel',
  stuckText:
    'Não o podemos cancelar daqui. Depois de o recusar, pode usar outro número ou pagar de outra forma. Se mesmo assim o aprovar, o pagamento é feito.',
  checkAgain: 'Verificar de novo',
  noNews: 'Ainda sem novidades.',
  promptSomewhere: (amount) =>
    `Para pagar ${amount}, introduza o seu PIN no telemóvel com que começou.`,
  timeLeft: (minutes, seconds) => `Faltam ${minutes}:${seconds}`,
  stillWaiting:
    'Ainda à espera. Pode deixar esta janela aberta ou fechá-la: avisamos a loja assim que a sua rede confirmar.',
  stillConfirming:
    'Ainda à espera. Pode deixar esta janela aberta ou fechá-la: a loja ficará a saber o resultado.',
  codeTitle: 'Introduza o código que recebeu',
  codeText: (phone) => `Enviámos um código por SMS para ${phone}.`,
  codeSent: 'A sua rede enviou-lhe um código por SMS.',
  sendNewCode: 'Enviar um novo código',
  codeWrong: (left) =>
    left === 1
      ? 'Código incorreto. Resta uma tentativa.'
      : `Código incorreto. Restam ${left} tentativas.`,
  code: 'Código de uso único',
  confirm: 'Confirmar',
  sendingCode: 'A verificar o seu código. Demora alguns segundos.',
  challengeTitle: 'Confirme com o seu banco',
  challengeText: 'O seu banco pede que confirme que é você.',
  challengeFrame: 'Verificação do cartão',
  challengeWindow: 'Abrir a página do seu banco numa nova janela',
  challengeBlocked: 'A página do seu banco não pode abrir aqui. Abra a loja numa janela própria.',
  confirmingTitle: 'A confirmar o seu pagamento',
  confirmingText: 'O seu banco está a tratar disso. Pode demorar um minuto.',
  elsewhereTitle: 'Este pagamento está em curso',
  elsewhereText:
    'Começou noutra janela ou noutro aparelho. Termine-o lá e o resultado aparece aqui. Se não for concluído a tempo, pode pagar aqui.',
  unsureTitle: 'O seu pagamento está a ser confirmado',
  unsureText:
    'Ligação perdida. Por favor, não volte a pagar. Ainda estamos a verificar e a loja irá confirmar.',
  silentText:
    'O serviço de pagamento não responde. Por favor, não volte a pagar. Verificamos de novo a cada poucos segundos.',

  leaving: {
    prompt: {
      title: 'Sair enquanto esperamos?',
      text: 'O pedido continua aberto no seu telemóvel. Se não quiser pagar, recuse-o.',
      stay: 'Continuar à espera',
      leave: 'Fechar mesmo assim',
    },
    withdrawal: {
      title: 'Sair enquanto esperamos?',
      text: 'Estamos a cancelar o pedido no seu telemóvel. Se ainda lá aparecer, recuse-o.',
      stay: 'Continuar à espera',
      leave: 'Fechar mesmo assim',
    },
    challenge: {
      title: 'Sair sem terminar?',
      text: 'Ainda não acabou de confirmar com o seu banco. Se já aprovou na aplicação do banco, o pagamento ainda pode ser concluído.',
      stay: 'Terminar o pagamento',
      leave: 'Sair',
    },
    code: {
      title: 'Sair sem terminar?',
      text: 'A sua rede está à espera do código. Sem ele, este pagamento não será concluído.',
      stay: 'Terminar o pagamento',
      leave: 'Sair',
    },
    unknown: {
      title: 'O seu pagamento ainda está a ser confirmado',
      text: 'Se fechar agora, avisamos a loja assim que soubermos.',
      stay: 'Continuar à espera',
      leave: 'Fechar mesmo assim',
    },
  },

  successTitle: 'Pagamento concluído',
  alreadyPaidText: (merchant) => `Isto já foi pago a ${merchant}. Não lhe foi cobrado de novo.`,
  receipt: {
    paidTo: 'Pago a',
    paidWith: 'Pago com',
    email: 'E-mail',
    date: 'Data',
    reference: 'Referência',
    copy: 'Copiar a referência',
    copied: 'Copiado',
  },
  done: 'Concluir',
  backIn: (shop, seconds) => `De volta a ${shop} em ${seconds}\u00a0s`,
  over: {
    time: {
      title: 'O tempo acabou',
      text: 'Não lhe foi cobrado nada. Volte à loja para começar de novo.',
    },
    tries: {
      title: 'Já não há tentativas',
      text: 'O pagamento não foi concluído. Não lhe foi cobrado nada. Volte à loja para começar de novo.',
    },
  },
  offlineTitle: 'Está sem ligação à internet.',
  offlineText: 'Nada foi enviado e não lhe foi cobrado nada.',
  leavingTyped: {
    title: 'Sair sem pagar?',
    text: 'Não lhe foi cobrado nada.',
    stay: 'Continuar a pagar',
    leave: 'Sair',
  },
  backToShop: 'Voltar à loja',
  timeShort: 'Faltam menos de 2 minutos.',
  getMoreTime: 'Obter mais tempo',
  moreTimeGiven: 'Tem agora mais tempo para pagar.',
  noMoreTime: 'Não foi possível acrescentar tempo.',
  unreachableTitle: 'O serviço de pagamento não responde',
  unreachableText: 'Não lhe foi cobrado nada. Tente de novo daqui a pouco.',
  unreachableAgainText:
    'Por favor, não volte a pagar. Ainda não sabemos como terminou o seu pagamento.',
  rejectedAgainText: (error) =>
    `O seu pagamento anterior pode ter sido concluído (erro\u00a0${error}). Não volte a pagar por agora. Volte à loja, que irá confirmá-lo.`,
  tryAgain: 'Tentar de novo',
  rejections: {
    reference_used: {
      title: 'Este pagamento não pode continuar',
      text: 'Volte à loja para começar de novo (erro\u00a004). Desta vez não lhe foi cobrado nada.',
    },
    not_authorized: {
      title: 'Os pagamentos não estão configurados aqui',
      text: 'Por favor, avise a loja (erro\u00a009). Não lhe foi cobrado nada.',
    },
    denied: {
      title: 'Os pagamentos não estão configurados aqui',
      text: 'Por favor, avise a loja (erro\u00a013). Não lhe foi cobrado nada.',
    },
    no_channel: {
      title: 'Nenhuma forma de pagamento disponível',
      text: 'Esta loja não pode receber este pagamento (erro\u00a001). Não lhe foi cobrado nada.',
    },
    rejected: {
      title: 'Este pagamento não pode ser aceite',
      text: 'Por favor, avise a loja (erro\u00a001). Não lhe foi cobrado nada.',
    },
  },
};
