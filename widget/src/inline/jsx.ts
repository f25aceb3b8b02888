/// <reference types="react" />
/// <reference types="preact" />
import type { ReactiveBase } from './dom/reactive-base.ts';
import type { ServicePayElement } from './service-pay.ts';

/**
 * What is set on the element: frameworks hand a value to the property of its name, where there is
 * one.
 */
type Properties = Partial<Omit<ServicePayElement, keyof ReactiveBase | 'pay' | 'preload'>>;

/**
 * What is no property: attributes that are written otherwise than theirs, and where the element
 * itself is handed to.
 */
interface Attributes {
  'public-key'?: string | undefined;
  'service-url'?: string | undefined;
  ref?:
    | ((element: ServicePayElement | null) => void)
    | { current: ServicePayElement | null }
    | null
    | undefined;
}

/** A listener for each event of the element: `onservice-pay-success` and its like. */
type Listeners = {
  [Name in keyof HTMLElementEventMap as Name extends `service-pay-${string}`
    ? `on${Name}`
    : never]?: ((event: HTMLElementEventMap[Name]) => void) | undefined;
};

/**
 * The same listeners as Vue's compiler names them: `onServicePaySuccess` for
 * `@service-pay-success`.
 */
type VueListeners = {
  [Name in keyof Listeners as Name extends `on${infer Event}`
    ? `on${CamelCase<Capitalize<Event>>}`
    : never]: Listeners[Name];
};
type CamelCase<Text extends string> = Text extends `${infer Word}-${infer Rest}`
  ? `${Word}${CamelCase<Capitalize<Rest>>}`
  : Text;

/**
 * What a framework lets every element have: `key`, `class`, children and the like. Nothing where
 * that framework is not installed.
 */
type Common<Elements> = Elements extends { span: infer Span }
  ? Omit<Span, keyof Properties | 'ref'>
  : unknown;

/** What `<service-pay>` takes in JSX, beside what all elements take. */
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

// @ts-expect-error: Vue is not installed here. Where it is, its templates look for the tag among the components.
declare module 'vue' {
  interface GlobalComponents {
    'service-pay': new () => {
      $props: ServicePayProps & VueListeners;
      $slots: { default?(): unknown };
    };
  }
}

// @ts-expect-error: Svelte is not installed here. Where it is, its templates look for the tag among the elements.
declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    'service-pay': ServicePayProps & Common<this>;
  }
}
