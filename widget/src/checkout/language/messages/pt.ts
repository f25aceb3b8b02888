import type { Messages } from './messages.ts';

/** Portuguese, to be reviewed by a native speaker before it goes live. */
export const messages: Messages = {
  title: 'Pagamento seguro',
  language: 'Língua',
  languageSwitched: 'O pagamento aparece agora em português.',
  testMode: 'Modo de teste',
  loading: 'A preparar o seu pagamento',
  chooseHowToPay: (merchant) => `Escolha como pagar a ${merchant}`,
  howToPay: 'Forma de pagamento',
  channels: { card: 'Cartão', 'mobile-money': 'Dinheiro móvel' },
  amount: 'Valor',
  fee: 'Taxa',
  total: 'Total',
  pay: (amount) => `Pagar ${amount}`,
  takenBy: (merchant) => `A ServicePay cobra em nome de ${merchant}.`,
  sending: 'O envio demora alguns segundos.',

  cardNumber: 'Número do cartão',
  expiryDate: 'Data de validade',
  expiryHint: 'Mês e ano, como no cartão',
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
  countryHint: 'O nome ou duas letras, por exemplo ZM',

  network: 'Rede',
  phoneNumber: 'Número de telefone',
  phoneHint: 'Aprova o pagamento neste telefone.',
  networkFound: (network) => `Este número parece ser da rede ${network}.`,

  checkFields: 'Verifique estes campos',

  problems: {
    'card-number-missing': 'Escreva o número do seu cartão.',
    'card-number-invalid': 'Número de cartão incorreto. Verifique-o.',
    'card-not-a-test-card': 'Use um cartão de teste, por exemplo 4242 4242 4242 4242.',
    'expiry-missing': 'Escreva o mês e o ano do seu cartão.',
    'expiry-invalid': 'Escreva o mês e o ano, por exemplo 12/34.',
    'expiry-past': 'Esta data já passou. Verifique-a.',
    'security-code-invalid': 'Escreva os 3 ou 4 dígitos do seu cartão.',
    'security-code-of-3': 'Escreva os 3 dígitos do verso.',
    'security-code-of-4': 'Escreva os 4 dígitos da frente.',
    'name-missing': 'Escreva o nome que está no cartão.',
    'billing-required': 'Preencha este campo para usar este cartão.',
    'country-invalid': 'Escreva o nome de um país ou duas letras.',
    'network-missing': 'Escolha a rede do seu telefone.',
    'phone-missing': 'Escreva o número de telefone que vai pagar.',
    'phone-invalid': 'Número de telefone incorreto. Verifique-o.',
    'phone-other-network': 'Este número não é da rede escolhida.',
    'code-invalid': 'Escreva os 4 a 8 dígitos da mensagem.',
    'code-wrong': 'Este código não está certo. Tente de novo.',
    'code-not-sent': 'O código não foi enviado. Tente de novo.',
  },
  unknownProblem: 'Isto não foi aceite. Verifique e tente de novo.',

  declines: {
    'Card declined': 'O seu banco recusou este cartão.',
    'Not enough funds': 'O saldo não chega para este pagamento.',
    'Card expired': 'Este cartão já não é válido.',
    'Card verification declined': 'O seu banco não confirmou este pagamento.',
    'Card verification timed out': 'O seu banco não teve a sua resposta a tempo.',
    'Withdrawal amount limit exceeded': 'O valor está acima do limite desta conta.',
    'Transaction unauthorized': 'O pagamento não foi aprovado.',
    'Incorrect Pin': 'O PIN não estava certo.',
    'Transaction Timed Out': 'O pagamento não foi aprovado a tempo.',
    'Wrong one-time code': 'O código não estava certo.',
    'One-time code not entered in time': 'O código não foi escrito a tempo.',
  },
  declinedOtherwise: 'O pagamento não foi concluído.',
  notCharged: 'Nada lhe foi cobrado.',
  declined: 'Pagamento recusado',
  declinedBefore:
    'A última tentativa de pagar não foi concluída e nada foi cobrado por ela. Pode tentar de novo.',
  tryCardOrPhone: 'Experimente outro cartão ou pague com dinheiro móvel.',
  tryPhoneOrCard: 'Tente de novo, use outro número ou pague com cartão.',
  tryAnotherCard: 'Tente de novo ou use outro cartão.',
  tryAnotherPhone: 'Tente de novo ou use outro número.',
  notSent: 'Pagamento não enviado',
  notArrived: 'O seu pagamento não chegou até nós. Nada lhe foi cobrado. Por favor, tente de novo.',
  formRefused:
    'Não foi possível enviar o pagamento. Nada lhe foi cobrado. Por favor, tente de novo.',

  promptTitle: 'Aprove o pagamento no seu telefone',
  promptSteps: (digits, amount) =>
    `Escreva o seu PIN no telefone terminado em ${digits} para aprovar ${amount}.`,
  promptSomewhere: (amount) =>
    `Escreva o seu PIN no telefone com que este pagamento começou para aprovar ${amount}.`,
  promptNetwork: (network) =>
    `A rede ${network} enviou o pedido para o seu telefone. Não aparece nada? Desbloqueie-o e espere um momento.`,
  timeLeft: (minutes, seconds) => `Faltam ${minutes}:${seconds}`,
  stillWaiting:
    'Ainda à espera. Pode deixar esta janela aberta ou fechá-la: avisamos a loja assim que a sua rede confirmar.',
  stillConfirming:
    'Ainda à espera. Pode deixar esta janela aberta ou fechá-la: a loja ficará a saber o resultado.',
  codeTitle: 'Escreva o código que recebeu',
  codeText: 'A sua rede enviou um código por mensagem para o seu telefone.',
  code: 'Código de uso único',
  codesLeft: (left) => (left === 1 ? 'Pode tentar mais uma vez.' : `Pode tentar ${left} vezes.`),
  codeWrong: (left) =>
    left === 1
      ? 'Não está certo. Pode tentar mais uma vez.'
      : `Não está certo. Pode tentar mais ${left} vezes.`,
  confirm: 'Confirmar',
  sendingCode: 'A verificar o seu código. Demora alguns segundos.',
  challengeTitle: 'Confirme com o seu banco',
  challengeText: 'O seu banco quer ter a certeza de que é você. Para sair, prima Fechar pagamento.',
  challengeFrame: 'Verificação do cartão',
  challengeWindow: 'Abrir a página do seu banco numa nova janela',
  confirmingTitle: 'A confirmar o seu pagamento',
  confirmingText:
    'O seu banco está a tratar disso. Pode demorar um minuto, por isso deixe esta janela aberta.',
  elsewhereTitle: 'Este pagamento está em curso',
  elsewhereText:
    'Começou noutra janela ou noutro aparelho. Termine-o lá e o resultado aparece aqui.',
  unsureTitle: 'O seu pagamento está a ser confirmado',
  unsureText:
    'Não conseguimos contactar a rede para saber o resultado. Ainda não pague outra vez: a loja irá confirmá-lo.',
  leavingTitle: 'O seu pagamento ainda está a ser confirmado',
  leavingText:
    'Se fechar agora, o pagamento ainda pode ser concluído. A loja ficará a saber o resultado.',
  keepWaiting: 'Continuar à espera',
  closeAnyway: 'Fechar mesmo assim',

  successTitle: 'Pagamento concluído',
  successText: (amount, merchant) => `Pagou ${amount} a ${merchant}.`,
  alreadyPaidText: (merchant) => `Isto já foi pago a ${merchant}. Nada mais lhe foi cobrado.`,
  done: 'Concluir',
  overTitle: 'Este pagamento terminou',
  overTimeText:
    'O tempo para pagar acabou. Nada lhe foi cobrado. Volte à loja para começar de novo.',
  overAttemptsText:
    'O pagamento não foi concluído e não se pode tentar mais aqui. Nada lhe foi cobrado. Volte à loja para começar de novo.',
  backToShop: 'Voltar à loja',
  timeShort: 'Faltam menos de 2 minutos para pagar.',
  getMoreTime: 'Ter mais tempo',
  moreTimeGiven: 'Tem agora mais tempo para pagar.',
  unreachableTitle: 'Não conseguimos contactar o serviço de pagamento',
  unreachableText: 'Nada lhe foi cobrado. Verifique a ligação e tente de novo.',
  unreachableAgainText:
    'Ainda não sabemos como terminou o seu pagamento. Ainda não pague outra vez. Verifique a ligação e tente de novo.',
  refusedAgainText: (error) =>
    `Ainda não sabemos como terminou o seu pagamento (erro ${error}). Ainda não pague outra vez. Volte à loja, que irá confirmá-lo.`,
  tryAgain: 'Tentar de novo',
  refusals: {
    reference_used: {
      title: 'Este pagamento não pode ser usado outra vez',
      text: 'A sua referência já foi usada (erro 04). Nada lhe foi cobrado agora. Volte à loja para começar de novo.',
    },
    not_authorized: {
      title: 'Esta loja não está pronta para receber pagamentos aqui',
      text: 'A sua chave não é conhecida por este serviço (erro 09). Nada é cobrado. Por favor, avise a loja.',
    },
    denied: {
      title: 'Esta página não pode receber pagamentos',
      text: 'O serviço não conhece esta página (erro 13). Nada é cobrado. Por favor, avise a loja.',
    },
    no_channel: {
      title: 'Não há nenhuma forma de pagar',
      text: 'Esta loja não oferece forma de pagar este valor nesta moeda (erro 01). Nada é cobrado.',
    },
    refused: {
      title: 'Este pagamento não pode ser feito',
      text: 'A loja pediu algo que o serviço não consegue fazer (erro 01). Nada é cobrado. Por favor, avise a loja.',
    },
  },
};
