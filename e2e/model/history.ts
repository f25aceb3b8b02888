import { CheckoutService, type Life } from '@service-pay/sandbox/testing';
import { isFinal, type NewAttempt, sentOf } from '@service-pay/widget/headless';
import fc from 'fast-check';
import { LUCK } from './network.ts';
import type { Parts } from './parts.ts';
import { type Popup, STORAGES, Tab } from './popup.ts';
import { REQUEST } from './request.ts';
import { World } from './world.ts';

/** One thing that happens in a history: who does what in which tab, and how long after the last. */
export interface Step {
  afterMs: number;
  tab: 0 | 1;
  act: keyof typeof ACTS;
  /** What happens to attempts sent from here on, unless 0. */
  luck: number;
}

export interface History {
  steps: Step[];
  tape: number[];
  storage: Tab['storage'];
  isPriceSure: boolean;
}

const card = (number: string): NewAttempt => ({
  channel: 'card',
  card: { number, expiry: '12/34', securityCode: '123', name: 'Mary Banda' },
});
const phone = (number: string): NewAttempt => ({
  channel: 'mobile-money',
  mobileMoney: { operator: 'mtn', phone: number },
});
const pay = (attempt: NewAttempt) => (tab: Tab) => void tab.popup?.frame?.pay(attempt);

const ACTS = {
  open: (tab) => tab.open(),
  payByCard: pay(card('4242424242424242')),
  payByDeclinedCard: pay(card('4000000000000002')),
  payByChallengedCard: pay(card('4000000000003220')),
  payBySlowCard: pay(card('4000000000000077')),
  payByUnknownCard: pay(card('4111111111111111')),
  payByPhone: pay(phone('0960000000')),
  payByDeclinedPhone: pay(phone('0962222222')),
  payByPhoneWithCode: pay(phone('0969999999')),
  payByPhoneThatKeeps: pay(phone('0968888888')),
  getMoreTime: ({ popup }) => popup?.frame?.getMoreTime(),
  enterCode: ({ popup }) => popup?.frame?.enterCode('000000'),
  enterWrongCode: ({ popup }) => popup?.frame?.enterCode('111111'),
  approve: ({ service }) => service.answerOut('approve'),
  decline: ({ service }) => service.answerOut('decline'),
  strangerOpens: ({ service }) => service.openAsStranger(),
  useAnother: ({ popup }) => popup?.frame?.withdraw(false),
  sendAgain: ({ popup }) => popup?.frame?.withdraw(true),
  leave: ({ popup }) => popup?.course.learn('leave'),
  keepWaiting: ({ popup }) => popup?.frame?.answer('keep waiting'),
  closeAnyway: ({ popup }) => popup?.frame?.answer('close anyway'),
  closeByCode: ({ page, popups }) => {
    const last = popups.at(-1);
    if (last?.page === page) last.course.learn('close');
  },
  retry: ({ popup }) => popup?.retry(),
  reloadFrame: ({ popup }) => popup?.mount(),
  loseFrame: ({ popup }) => popup?.loseFrame(),
  leavePage: (tab) => tab.leavePage(),
  goOffline: (tab) => {
    tab.isOffline = true;
  },
  goOnline: (tab) => {
    tab.isOffline = false;
    tab.popup?.frame?.comeBack();
  },
  hide: (tab) => {
    tab.isHidden = true;
  },
  show: (tab) => {
    tab.isHidden = false;
    tab.popup?.frame?.comeBack();
  },
  minutesPass: ({ service }) => service.clock.skip(4 * 60_000),
  sessionExpires: ({ service }) => service.clock.skip(31 * 60_000),
} satisfies Record<string, (tab: Tab) => void>;

const WEIGHTS: Partial<Record<Step['act'], number>> = {
  open: 8,
  payByCard: 5,
  payByPhone: 4,
  leave: 4,
  closeByCode: 4,
  closeAnyway: 3,
  retry: 3,
  sessionExpires: 1,
  hide: 1,
};

/**
 * Sequences that should come more often than by chance. A step without a time may come after any.
 */
const PHRASES: readonly (readonly { act: Step['act']; afterMs?: number; isOther?: true }[])[] = [
  [
    { act: 'payByCard', afterMs: 400 },
    { act: 'leavePage' },
    { act: 'open' },
    { act: 'closeByCode' },
  ],
  [
    { act: 'payByCard', afterMs: 400 },
    { act: 'goOffline' },
    { act: 'goOnline', afterMs: 64_000 },
    { act: 'closeByCode', afterMs: 6_000 },
  ],
  ...(['payByPhone', 'payByPhoneWithCode'] as const).map((act) => [
    { act, afterMs: 400 },
    { act: 'useAnother' as const, afterMs: 150 },
    { act: 'payByCard' as const, afterMs: 150 },
    { act: 'closeByCode' as const },
  ]),
  [
    { act: 'payByPhone', afterMs: 400 },
    { act: 'sendAgain', afterMs: 32_000 },
    { act: 'approve', afterMs: 45 },
    { act: 'leave' },
  ],
  [
    { act: 'payByCard', afterMs: 400 },
    { act: 'loseFrame' },
    { act: 'retry', afterMs: 16_000 },
    { act: 'closeByCode' },
  ],
  [
    { act: 'payByPhone', afterMs: 400 },
    { act: 'reloadFrame' },
    { act: 'decline' },
    { act: 'leave' },
  ],
  [
    { act: 'open', isOther: true },
    { act: 'payByCard', afterMs: 45, isOther: true },
    { act: 'leave', isOther: true },
    { act: 'payByPhone' },
  ],
  [
    { act: 'open', isOther: true },
    { act: 'payByPhone', afterMs: 45, isOther: true },
    { act: 'strangerOpens' },
    { act: 'closeByCode', isOther: true },
  ],
  [
    { act: 'open', isOther: true },
    { act: 'payByPhone', afterMs: 400 },
    { act: 'payByCard', afterMs: 150, isOther: true },
    { act: 'decline', afterMs: 1_100 },
    { act: 'closeByCode', afterMs: 2_600, isOther: true },
  ],
];

export function anyHistory(): fc.Arbitrary<History> {
  const act = fc.oneof(
    ...(Object.keys(ACTS) as Step['act'][]).map((name) => ({
      arbitrary: fc.constant(name),
      weight: WEIGHTS[name] ?? 2,
    })),
  );
  const afterMs = fc.oneof(
    { arbitrary: fc.constantFrom(0, 1, 45, 90, 150, 400), weight: 6 },
    { arbitrary: fc.constantFrom(1_100, 2_600, 6_000, 16_000), weight: 3 },
    { arbitrary: fc.constantFrom(32_000, 64_000), weight: 1 },
  );
  const tab = fc.oneof(
    { arbitrary: fc.constant(0 as const), weight: 4 },
    { arbitrary: fc.constant(1 as const), weight: 1 },
  );
  const luck = fc.constantFrom(
    0,
    0,
    0,
    LUCK.responseLost,
    LUCK.late,
    LUCK.tooLate,
    LUCK.twice,
    LUCK.twiceAndLate,
  );
  const step = fc.record({ afterMs, tab, act, luck }).map((one) => [one]);
  const phrase = fc
    .record({
      acts: fc.constantFrom(...PHRASES),
      tab,
      lucks: fc.array(luck, { maxLength: 6 }),
      waits: fc.array(afterMs, { maxLength: 6 }),
    })
    .map(({ acts, tab, lucks, waits }) =>
      acts.map(({ act, afterMs, isOther }, at): Step => {
        const other = tab === 0 ? 1 : 0;
        return {
          act,
          tab: isOther ? other : tab,
          afterMs: afterMs ?? waits[at] ?? 0,
          luck: lucks[at] ?? 0,
        };
      }),
    );
  return fc.record({
    steps: fc
      .array(fc.oneof({ arbitrary: step, weight: 2 }, { arbitrary: phrase, weight: 2 }), {
        minLength: 1,
        maxLength: 8,
        size: 'max',
      })
      .map((parts) => parts.flat()),
    tape: fc.array(
      fc.oneof(
        { arbitrary: fc.constant(0), weight: 4 },
        { arbitrary: fc.nat({ max: 999 }), weight: 1 },
      ),
      {
        maxLength: 60,
        size: 'max',
      },
    ),
    storage: fc.constantFrom(...STORAGES),
    isPriceSure: fc.oneof(
      { arbitrary: fc.constant(true), weight: 4 },
      { arbitrary: fc.constant(false), weight: 1 },
    ),
  });
}

export async function play(
  { steps, tape, storage, isPriceSure }: History,
  parts: Parts,
): Promise<void> {
  const world = new World(tape);
  const service = new CheckoutService(world, REQUEST);
  parts.spoil?.(service);
  const tabs = [0, 1].map((number) => new Tab(number, world, service, parts, storage)) as [
    Tab,
    Tab,
  ];
  if (!isPriceSure) for (const tab of tabs) tab.previewTotal = '9.75';
  const broken: string[] = [];
  const laws = new Laws(tabs, service, broken);
  tabs[0].open();
  laws.watch();
  for (const { afterMs, tab, act, luck } of steps) {
    await world.pass(afterMs);
    if (act.startsWith('pay')) tabs[tab].luck = luck;
    (ACTS[act] as (tab: Tab) => void)(tabs[tab]);
    laws.watch();
    if (broken.length) break;
  }
  if (!broken.length) await end(world, service, tabs, broken, laws);
  for (const { popup } of tabs) popup?.frame?.die();
  if (broken.length) throw new Error(broken.join('\n'));
}

async function end(
  world: World,
  service: CheckoutService,
  tabs: readonly Tab[],
  broken: string[],
  laws: Laws,
): Promise<void> {
  const open = () => tabs.flatMap(({ popup }) => popup ?? []);
  world.heal();
  for (const tab of tabs) Object.assign(tab, { isOffline: false, isHidden: false, luck: 0 });
  for (const { popup } of tabs) popup?.frame?.comeBack();
  await world.pass(20_000);
  for (const popup of open()) {
    popup.retry();
    popup.frame?.comeBack();
  }
  await world.pass(
    110_000,
    () =>
      broken.length > 0 ||
      open().every((popup) => popup.frame?.flow && !sentOf(popup.frame.flow.known)),
  );
  const before = structuredClone(service.session?.life);
  await world.pass(3_000);
  for (const popup of open()) laws.checkAgreement(popup, before);
  service.clock.skip(45 * 60_000);
  await world.pass(4_000);
  for (const popup of open()) laws.checkEnd(popup);
  for (const popup of open()) popup.course.learn('leave');
  await world.pass(3_000);
  for (const popup of open())
    broken.push(`no outcome at the end: ${JSON.stringify(popup.course.known)}`);
  await world.pass(100_000);
  if (service.charges > 1) broken.push(`${service.charges} charges`);
}

/**
 * The laws of every history. A broken one is recorded, since it comes to light in the middle of
 * other work.
 */
class Laws {
  readonly #tabs: readonly Tab[];
  readonly #service: CheckoutService;
  readonly #broken: string[];

  constructor(tabs: readonly Tab[], service: CheckoutService, broken: string[]) {
    this.#tabs = tabs;
    this.#service = service;
    this.#broken = broken;
    service.onBegin = (id) => this.#checkBegin(id);
  }

  watch(): void {
    for (const { popups } of this.#tabs)
      for (const popup of popups) popup.onOutcome = (outcome) => this.#checkOutcome(popup, outcome);
  }

  /**
   * Once the faults have stopped for a while, the frame knows what the service knows, and the page
   * what the frame knows.
   */
  checkAgreement({ frame, course: { known: page } }: Popup, before: Life | undefined): void {
    const known = frame?.flow?.known.service;
    const says = JSON.stringify([
      known?.session?.status,
      known?.session?.attempt?.id,
      known?.session?.attempt?.status,
      page.money,
    ]);
    const lives = [before, this.#service.session?.life].map((life) => {
      const last = life?.attempts.at(-1);
      const isOut = last && !['declined', 'successful'].includes(last.status);
      const money = life?.session === 'successful' ? 'paid' : isOut ? 'unknown' : 'none';
      return JSON.stringify([life?.session, last?.id, last?.status, money]);
    });
    if (!lives.includes(says) && known?.rejection?.code !== 'reference_used')
      this.#broken.push(`after 3 s it believes ${says} of ${lives}`);
  }

  /** Once the session is over, a popup that is still open knows the end. */
  checkEnd(popup: Popup): void {
    const known = popup.frame?.flow?.known;
    const life = this.#service.session?.life;
    // a session that nobody tried may be opened again after its end (D37)
    const isOpenAgain = life?.session === 'open' && !life.attempts.length;
    if (!known || !(isFinal(known) || isOpenAgain))
      this.#broken.push(`no end is known: ${JSON.stringify(known)}`);
    const isRejected =
      known?.service.visit === 'unconfirmed' &&
      !known.service.session &&
      known.service.rejection?.code === 'reference_used';
    const money =
      this.#service.session?.life.session === 'successful'
        ? 'paid'
        : isRejected
          ? 'unknown'
          : 'none';
    if (popup.course.known.money !== money)
      this.#broken.push(`the page knows ${popup.course.known.money} of money that is ${money}`);
  }

  #checkOutcome(popup: Popup, outcome: string): void {
    if (popup.outcomes.length > 1)
      this.#broken.push(`more than one outcome: ${popup.outcomes.join(', ')}`);
    const { running, session, charges } = this.#service;
    if (charges > 1) this.#broken.push(`${charges} charges`);
    if (outcome === 'success' && session?.life.session !== 'successful')
      this.#broken.push('success without the word of the service');
    if (outcome !== 'closed') return;
    const paid = session?.life.attempts.find(({ status }) => status === 'successful');
    for (const attempt of [running, paid]) {
      if (attempt && covers(popup, attempt.id))
        this.#broken.push(`closed while ${attempt.id} is ${attempt.status}`);
    }
  }

  #checkBegin(id: string): void {
    const popups = this.#tabs.flatMap(({ popups }) => popups);
    const maker = popups.find(({ attempts }) => attempts.includes(id));
    if (!maker) this.#broken.push(`the service began ${id}, which nobody made`);
    const price = this.#service.session?.charge.total;
    if (maker && maker.prices.get(id) !== price)
      this.#broken.push(`${id} took ${price} where ${maker.prices.get(id)} was seen`);
    if (popups.some((popup) => popup.outcome === 'closed' && covers(popup, id)))
      this.#broken.push(`${id} began after closed`);
  }
}

/**
 * Returns whether a popup's `closed` covers an attempt: of its own, of an earlier popup of the
 * same page, and of an earlier page of the same tab if storage was kept or its frame has spoken.
 * Otherwise it cannot know what another page left behind (D13).
 */
function covers(popup: Popup, id: string): boolean {
  const { popups } = popup.tab;
  const place = popups.indexOf(popup);
  const knows = ({ page }: Popup) =>
    page === popup.page || popup.hasReport || popup.tab.storage !== 'blocked';
  return popups.some((other, at) => at <= place && other.attempts.includes(id) && knows(other));
}
