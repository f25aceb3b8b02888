import type { CheckoutService } from '@service-pay/sandbox/testing';
import {
  CheckoutClient,
  CheckoutError,
  CheckoutFlow,
  type CheckoutFlowDeps,
  type NewAttempt,
  PaymentCourse,
  Reporter,
  sentOf,
} from '@service-pay/widget/headless';

export interface Parts {
  Course: typeof PaymentCourse;
  Flow: typeof CheckoutFlow;
  Reporter: typeof Reporter;
  Client: typeof CheckoutClient;
  spoil?: (service: CheckoutService) => void;
}

export const REAL: Parts = {
  Course: PaymentCourse,
  Flow: CheckoutFlow,
  Reporter: Reporter,
  Client: CheckoutClient,
};

/** Mistakes that every run must catch. */
export const BROKEN: Record<string, Parts> = {
  'the attempt goes out before the page knows': {
    ...REAL,
    Reporter: class extends Reporter {
      override learn(known: Parameters<Reporter['learn']>[0]): unknown {
        super.learn(known);
        return undefined;
      }
    },
  },
  'the page gets "none" until there is a response': {
    ...REAL,
    Reporter: class extends Reporter {
      constructor(send: ConstructorParameters<typeof Reporter>[0]) {
        super((message) =>
          send(
            message.type === 'money' && message.state === 'unknown'
              ? { ...message, state: 'none' }
              : message,
          ),
        );
      }
    },
  },
  'a new frame keeps quiet where nothing is out': {
    ...REAL,
    Reporter: class extends Reporter {
      #hasSpoken = false;

      override learn(known: Parameters<Reporter['learn']>[0]): unknown {
        this.#hasSpoken ||= Boolean(
          sentOf(known) ||
            known.service.session?.attempt ||
            known.service.session?.status === 'successful',
        );
        return this.#hasSpoken ? super.learn(known) : undefined;
      }
    },
  },
  'what waited for the session is sent whatever the session requires': {
    ...REAL,
    Flow: class extends CheckoutFlow {
      #waiting: NewAttempt | undefined;

      constructor(deps: CheckoutFlowDeps) {
        const onChange: CheckoutFlowDeps['onChange'] = (known) => {
          const isTaken = deps.onChange(known);
          const attempt = this.#waiting;
          if (attempt && known.service.session && !known.sending) {
            this.#waiting = undefined;
            void super.submit(attempt);
          }
          return isTaken;
        };
        super({ ...deps, onChange });
      }

      override async submit(attempt: NewAttempt): Promise<void> {
        if (!this.known.service.session) this.#waiting = attempt;
        await super.submit(attempt);
      }
    },
  },
  'a lost response counts as a rejection': {
    ...REAL,
    Client: class extends CheckoutClient {
      override submit(
        ...[attempt, signal]: Parameters<CheckoutClient['submit']>
      ): ReturnType<CheckoutClient['submit']> {
        return super.submit(attempt, signal).catch(() => {
          throw new CheckoutError('rejected', 'nothing came back');
        });
      }
    },
  },
  'a lost response counts as paid': {
    ...REAL,
    Client: class extends CheckoutClient {
      override async submit(
        ...[attempt, signal]: Parameters<CheckoutClient['submit']>
      ): ReturnType<CheckoutClient['submit']> {
        const before = await this.look(signal);
        return super.submit(attempt, signal).catch(() => ({ ...before, status: 'successful' }));
      }
    },
  },
  'an attempt is sent again under another id': {
    ...REAL,
    Client: class extends CheckoutClient {
      #copies = 0;

      override submit(
        ...[attempt, signal]: Parameters<CheckoutClient['submit']>
      ): ReturnType<CheckoutClient['submit']> {
        const id = attempt.id.replace(/^..../, String(++this.#copies).padStart(4, 'a'));
        return super.submit({ ...attempt, id }, signal);
      }
    },
  },
  'a look is taken for a withdrawal': {
    ...REAL,
    Client: class extends CheckoutClient {
      #hasOpened = false;

      override async open(signal: AbortSignal): ReturnType<CheckoutClient['open']> {
        if (this.#hasOpened) return this.look(signal);
        const session = await super.open(signal);
        this.#hasOpened = true;
        return session;
      }
    },
  },
  'an older opening still begins attempts': {
    ...REAL,
    spoil: ({ store }) => {
      store.visits.isNewest = () => true;
    },
  },
  'what was passed over begins when it comes again': {
    ...REAL,
    spoil: ({ store }) => {
      store.passOver = () => undefined;
    },
  },
  'Try again forgets what was known': {
    ...REAL,
    Course: class extends PaymentCourse {
      override learn(fact: Parameters<PaymentCourse['learn']>[0]): void {
        if (fact === 'retry' && this.known.money === 'unknown') super.learn('none');
        super.learn(fact);
      }
    },
  },
  'a frame that does not respond has nothing in flight': {
    ...REAL,
    Course: class extends PaymentCourse {
      override learn(fact: Parameters<PaymentCourse['learn']>[0]): void {
        if (fact === 'silent' && this.known.money === 'unknown') super.learn('none');
        super.learn(fact);
      }
    },
  },
  'an outcome is reported again': {
    ...REAL,
    Course: class extends PaymentCourse {
      override learn(fact: Parameters<PaymentCourse['learn']>[0]): void {
        this.known = { ...this.known, outcome: undefined };
        super.learn(fact);
      }
    },
  },
};
