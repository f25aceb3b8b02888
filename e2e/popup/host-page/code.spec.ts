import { test } from './host-page.ts';

test.describe('a card pays on a page with unusual scripts', () => {
  for (const way of ['tag', 'element', 'loader'] as const) {
    test(`a card pays on a page with Object.prototype, Array.prototype and Function.prototype added to, by ${way} (T3)`, async ({
      buy,
    }) => {
      await buy({ way, before: pollutePrototypes });
    });

    test(`a card pays on a page with browser globals overwritten by the page, by ${way} (T8)`, async ({
      buy,
    }) => {
      await buy({
        way,
        body: `<form id="ServicePay"></form><img name="currentScript" alt=""><a id="MessageChannel" name="getPaid"></a>{{button}}`,
        before: takeGlobals,
      });
    });

    test(`a card pays on a page with browser functions wrapped by other scripts, by ${way}`, async ({
      buy,
    }) => {
      await buy({ way, before: wrapFunctions });
    });
  }

  test('a card pays on a page with accessors on Object.prototype that are called as options are (T3)', async ({
    buy,
  }) => {
    await buy({
      before: () => {
        for (const name of ['label', 'amount', 'reference', 'billing', 'once', 'signal', 'get']) {
          const accessor = {
            __proto__: null,
            get: () => 'polluted',
            set: () => undefined,
            configurable: true,
          };
          Object.defineProperty(Object.prototype, name, accessor);
        }
      },
    });
  });

  test('a card pays on a page with built-in objects frozen', async ({ buy }) => {
    await buy({
      before: () => {
        for (const each of [
          Object,
          Function,
          Array,
          Error,
          Promise,
          Map,
          RegExp,
          String,
          EventTarget,
          Node,
          Element,
          HTMLElement,
          Event,
        ]) {
          Object.freeze(each.prototype);
        }
      },
    });
  });
});

function pollutePrototypes(): void {
  const own = Object.prototype as Record<string, unknown>;
  own['extend'] = () => undefined;
  own['toJSON'] = () => 'polluted';
  own['once'] = () => undefined;
  own['passive'] = () => undefined;
  own['key'] = 'pub_sandbox_other';
  own['origin'] = 'https://evil.example';
  own['onSuccess'] = own['onClose'] = () => console.error('a foreign callback ran');
  own['get'] = () => 'polluted';
  const list = Array.prototype as unknown as Record<string, unknown>;
  list['each'] = list['remove'] = list['toJSON'] = () => 'polluted';
  const iterate = Array.prototype[Symbol.iterator];
  Array.prototype[Symbol.iterator] = function (this: unknown[]) {
    return Reflect.apply(iterate, this, []);
  } as typeof iterate;
  Function.prototype.call = function (
    this: (...args: unknown[]) => unknown,
    self: unknown,
    ...args: unknown[]
  ) {
    return Reflect.apply(this, self, args);
  };
}

function takeGlobals(): void {
  window.name = 'ServicePay';
  Object.assign(window, {
    URL: 'https://shop.example/api',
    origin: 'https://elsewhere.example',
    event: 'sale',
    parent: null,
    status: 'open',
    length: 3,
  });
}

function wrapFunctions(): void {
  const { addEventListener, removeEventListener } = EventTarget.prototype;
  const wrapped = new WeakMap<object, EventListener>();
  EventTarget.prototype.addEventListener = function (
    this: EventTarget,
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options,
  ) {
    if (!listener) return;
    const run: EventListener =
      wrapped.get(listener) ??
      ((event) =>
        typeof listener === 'function'
          ? listener.apply(this, [event])
          : listener.handleEvent(event));
    wrapped.set(listener, run);
    addEventListener.apply(this, [type, run, options]);
  };
  EventTarget.prototype.removeEventListener = function (
    this: EventTarget,
    type: string,
    listener,
    options,
  ) {
    removeEventListener.apply(this, [
      type,
      (listener && wrapped.get(listener)) ?? listener,
      options,
    ]);
  };
  const { attachShadow } = Element.prototype;
  Element.prototype.attachShadow = function (this: Element, options) {
    const root = attachShadow.apply(this, [options]);
    new MutationObserver(() => undefined).observe(root, { childList: true, subtree: true });
    return root;
  };
  const { setTimeout, fetch } = window;
  window.setTimeout = ((act: () => void, ...others: unknown[]) =>
    Reflect.apply(setTimeout, window, [() => act(), ...others])) as typeof setTimeout;
  window.fetch = (...args) => Promise.resolve().then(() => fetch(...args));
  window.Promise = class extends Promise<unknown> {} as PromiseConstructor;
  const { postMessage } = MessagePort.prototype;
  MessagePort.prototype.postMessage = function (this: MessagePort, ...args: unknown[]) {
    return Reflect.apply(postMessage, this, args);
  } as typeof postMessage;
}
