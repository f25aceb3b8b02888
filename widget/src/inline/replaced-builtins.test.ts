import { expect } from '@open-wc/testing';

import type { getPaid } from './get-paid.ts';
import type { ServicePayElement } from './service-pay.ts';
import { find, serviceOrigin, until } from './test/stand-in-frame.ts';

type Page = Window & {
  ServicePay?: { getPaid: typeof getPaid };
  errors: string[];
  events: string[];
  openings: number;
};

const TAG = `<script src="${serviceOrigin}/js/v1/inline.js"></script>`;
const ORDER = {
  key: 'pub_sandbox_demo',
  email: 'ann@example.com',
  reference: 'order-1',
  amount: 10,
};

/** Replaces members by functions that throw, as libraries do that mean something else by a name. */
const taken = (owner: string, names: string) =>
  `for (const name of '${names}'.split(' '))
     ${owner}[name] = function () { throw new TypeError('replaced ${owner}.' + name) };`;

/** Replaces members by functions that call the originals, as zones, monitors and polyfills do. */
const wrapped = (owner: string, names: string) =>
  `'${names}'.split(' ').forEach((name) => {
     const native = ${owner}[name];
     ${owner}[name] = function () { return native.apply(this, arguments) };
   });`;

/** Code that replaces built-ins as libraries and polyfills do. */
const REPLACED: Record<string, string> = {
  'Prototype.js 1.7': `
    HTMLElement.prototype.remove = function () { this.parentNode.removeChild(this); return this };
    for (const name of ['update', 'replace', 'insert', 'select', 'hide', 'show', 'toggle', 'match', 'observe', 'identify', 'wrap', 'empty', 'next', 'previous'])
      HTMLElement.prototype[name] = function () { return this };
    Array.from = (value) => { const list = []; for (let i = 0; i < value.length; i++) list.push(value[i]); return list };
    Array.prototype.entries = Array.prototype.toArray = function () { return this.slice() };
    Array.prototype.toJSON = function () { return '[' + this.join() + ']' };
    Object.toJSON = Object.clone = Object.isElement = () => undefined;
    String.prototype.toJSON = String.prototype.inspect = function () { return '"' + this + '"' };
    window.$ = (id) => document.getElementById(id);
    { const native = Element;
      window.Element = function (name) { return document.createElement(name) };
      window.Element.prototype = native.prototype; }`,
  'MooTools 1.4': `
    for (const name of ['Document', 'Window', 'Event', 'DOMEvent', 'Request', 'Class'])
      window[name] = function () {};
    { const native = Element;
      window.Element = function (name) { return document.createElement(name) };
      window.Element.prototype = native.prototype; }
    Array.from = (value) => value == null ? [] : typeof value.length === 'number' ? [].slice.call(value) : [value];
    Function.from = String.from = (value) => value;
    for (const type of [Array, Function, Number, String, RegExp, Date])
      type.prototype.$family = () => type.name.toLowerCase();
    for (const name of ['append', 'include', 'erase', 'empty', 'flatten', 'pick'])
      Array.prototype[name] = function () { return this };
    for (const name of ['set', 'get', 'erase', 'inject', 'adopt', 'grab', 'dispose', 'destroy', 'clone', 'empty', 'match', 'addEvent', 'fireEvent'])
      Element.prototype[name] = function () { return this };
    window.$ = window.$$ = (id) => document.getElementById(id);`,
  'methods that show in every loop': `
    for (const type of [Object, Array, Function, String]) type.prototype.extend = function () {};`,
  'interfaces that mean something else': taken(
    'window',
    'URL URLSearchParams CustomEvent queueMicrotask structuredClone Node Event Element Document HTMLScriptElement Request',
  ),
  'interfaces of its own': `
    for (const name of ['Promise', 'Map', 'Set', 'MessageChannel', 'AbortController', 'ResizeObserver'])
      window[name] = class extends window[name] {};`,
  'newer methods of nodes': [
    taken(
      'Element.prototype',
      'remove append prepend before after replaceWith replaceChildren closest matches toggleAttribute insertAdjacentElement getElementsByClassName',
    ),
    taken('DocumentFragment.prototype', 'append prepend replaceChildren'),
    taken('CharacterData.prototype', 'remove replaceWith'),
  ].join(''),
  'methods of values': [
    taken('Array', 'from of'),
    taken('Array.prototype', 'flat at findLast entries keys fill reduce'),
    taken('Function.prototype', 'bind'),
    taken('Object', 'assign values freeze'),
    taken('JSON', 'parse stringify'),
    taken('String.prototype', 'replaceAll startsWith endsWith repeat at matchAll'),
    taken('Date.prototype', 'toISOString toJSON'),
  ].join(''),
  'methods that call the originals': [
    wrapped('Array.prototype', 'map filter find includes some every'),
    wrapped('Object', 'keys entries defineProperty create'),
    wrapped('String.prototype', 'split trim replace includes padEnd'),
    wrapped('document', 'createElement querySelector addEventListener'),
    wrapped('EventTarget.prototype', 'addEventListener dispatchEvent'),
    wrapped('Node.prototype', 'appendChild insertBefore removeChild'),
    wrapped('window', 'setTimeout requestAnimationFrame addEventListener fetch'),
  ].join(''),
};

describe('a page that has replaced built-ins', () => {
  let frame: HTMLIFrameElement | undefined;

  const load = async (markup: string): Promise<Page> => {
    frame = document.createElement('iframe');
    frame.srcdoc = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">
      <script>errors = []; events = []; openings = 0;
        onerror = (text) => { errors[errors.length] = text };
        onunhandledrejection = ({ reason }) => { errors[errors.length] = String(reason) };
        addEventListener('message', ({ data }) => { if (data.received?.type === 'service-pay:open') openings++ });
        document.addEventListener('service-pay-close', ({ type }) => { events[events.length] = type });
      </script>${markup}`;
    const loaded = new Promise((resolve) => frame!.addEventListener('load', resolve));
    document.body.append(frame);
    await loaded;
    return frame.contentWindow as Page;
  };

  afterEach(() => frame?.remove());

  for (const [what, code] of Object.entries(REPLACED)) {
    for (const when of ['before', 'after']) {
      it(`a page that has replaced built-ins pays by getPaid and by the element: ${what}, ${when} the tag (T126)`, async () => {
        const library = `<script>${code}</script>`;
        const page = await load(
          `${when === 'before' ? library + TAG : TAG + library}
          <service-pay public-key="${ORDER.key}" email="${ORDER.email}" reference="order-2" amount="10"></service-pay>`,
        );
        const element = page.document.querySelector<ServicePayElement>('service-pay')!;

        for (const [index, pay] of [
          () => page.ServicePay!.getPaid(ORDER),
          () => element.pay(),
        ].entries()) {
          const handle = pay();
          await until(
            () => page.openings > index || page.errors.length,
            'the frame was not opened',
          );
          expect(page.errors).to.deep.equal([]);
          handle.close();
          expect((await handle.result).outcome).to.equal('closed');
          expect(find('iframe, dialog', page.document)).to.equal(undefined);
        }

        expect(page.events).to.deep.equal(['service-pay-close']);
        expect(page.errors).to.deep.equal([]);
      });
    }
  }
});
