/// <reference types="react" />
/// <reference types="preact" />
import type { ReactiveBase } from './dom/reactive-base.ts';
import type { ServicePayElement } from './service-pay.ts';

// its declarations say which events an element has
export type { SuccessEvent } from './events.ts';

type Properties = Partial<Omit<ServicePayElement, keyof ReactiveBase | 'pay' | 'preload'>>;

interface Attributes {
  'public-key'?: string | undefined;
  'service-url'?: string | undefined;
  ref?:
    | ((element: ServicePayElement | null) => void)
    | { current: ServicePayElement | null }
    | null
    | undefined;
}

type Listeners = {
  [Name in keyof HTMLElementEventMap as Name extends `service-pay-${string}`
    ? `on${Name}`
    : never]?: ((event: HTMLElementEventMap[Name]) => void) | undefined;
};

/** The same listeners in Vue's spelling: `onServicePaySuccess` for `@service-pay-success`. */
type VueListeners = {
  [Name in keyof Listeners as Name extends `on${infer Event}`
    ? `on${CamelCase<Capitalize<Event>>}`
    : never]: Listeners[Name];
};
type CamelCase<Text extends string> = Text extends `${infer Word}-${infer Rest}`
  ? `${Word}${CamelCase<Capitalize<Rest>>}`
  : Text;

/**
 * Props that a framework allows on every element, such as `key` and `class`. Empty if that
 * framework is not installed.
 */
type Common<Elements> = Elements extends { span: infer Span }
  ? Omit<Span, keyof Properties | 'ref'>
  : unknown;

/** The props of `<service-pay>` in JSX, in addition to those of every element. */
export type ServicePayProps = Properties & Attributes & Listeners;

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'service-pay': ServicePayProps & Common<this>;
    }
  }
}

declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      'service-pay': ServicePayProps & Common<this>;
    }
  }
}

/** The same listeners in Solid's spelling: `on:service-pay-success`. */
type SolidListeners = {
  [Name in keyof Listeners as Name extends `on${infer Event}`
    ? `on:${Event}`
    : never]: Listeners[Name];
};
interface SolidAttributes extends Omit<Attributes, 'ref'> {
  ref?: ServicePayElement | ((element: ServicePayElement) => void) | undefined;
}

// @ts-expect-error: Solid is not installed here.
declare module 'solid-js/jsx-runtime' {
  namespace JSX {
    interface IntrinsicElements {
      'service-pay': Properties & SolidAttributes & SolidListeners & Common<this>;
    }
  }
}

// @ts-expect-error: Vue is not installed here. Its templates look for the tag among the components.
declare module 'vue' {
  interface GlobalComponents {
    'service-pay': new () => {
      $props: ServicePayProps & VueListeners;
      $slots: { default?(): unknown };
    };
  }
}

// @ts-expect-error: Svelte is not installed here. Its templates look for the tag among the elements.
declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    'service-pay': ServicePayProps & Common<this>;
  }
}
