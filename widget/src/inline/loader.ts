import type { isServicePayError } from './errors.ts';
import { ServicePayError } from './errors.ts';
import type { getPaid, preload } from './get-paid.ts';

/** The global that the script defines on the page (specification 4.1). */
export interface ServicePayGlobal {
  getPaid: typeof getPaid;
  preload: typeof preload;
  isServicePayError: typeof isServicePayError;
}

declare global {
  interface Window {
    /** Undefined until the script's tag has loaded. */
    ServicePay?: ServicePayGlobal;
  }
}

type ScriptPolicy = { createScriptURL(url: string): unknown };
type PolicyFactory = {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): ScriptPolicy;
};

let loading: Promise<ServicePayGlobal> | undefined;
let policy: ScriptPolicy | undefined;

/**
 * Adds the service's script to the page, once, and returns what it defines; `null` on a server.
 * Rejects with `load_failed` if it cannot be loaded, naming the directive if the page's policy
 * blocks it (D24); the next call tries again.
 */
export async function loadServicePay(scriptUrl: string): Promise<ServicePayGlobal | null> {
  if (typeof document === 'undefined') return null;
  loading ??= load(scriptUrl).catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(url: string): Promise<ServicePayGlobal> {
  const link = document.createElement('a');
  link.href = url;
  const given = [...document.scripts].find(({ src }) => src === link.href);
  if (given) await settled(given);
  if (given && defined()) return defined()!;
  const tag = document.createElement('script');
  // The same pins as the page's own tag.
  tag.integrity = given?.integrity ?? '';
  tag.crossOrigin = given?.crossOrigin ?? null;
  tag.nonce = given?.nonce ?? '';
  await new Promise<void>((resolve, reject) => {
    tag.addEventListener('load', () => resolve(), { once: true });
    tag.addEventListener(
      'error',
      () =>
        reject(failure(`${url} could not be loaded: is it reachable, and allowed by script-src?`)),
      {
        once: true,
      },
    );
    tag.async = true;
    tag.src = trusted(url);
    document.head.appendChild(tag);
  }).catch((error) => {
    tag.parentNode?.removeChild(tag);
    throw error;
  });
  return defined() ?? Promise.reject(failure(`${url} is not the script of a payment service`));
}

/**
 * Resolves once the page's own tag has loaded or failed, at the latest when the page has loaded.
 */
function settled(tag: HTMLScriptElement): Promise<void> {
  return new Promise((resolve) => {
    if (defined() || document.readyState === 'complete') return resolve();
    tag.addEventListener('load', () => resolve(), { once: true });
    tag.addEventListener('error', () => resolve(), { once: true });
    addEventListener('load', () => resolve(), { once: true });
  });
}

function defined(): ServicePayGlobal | undefined {
  const { ServicePay } = globalThis as { ServicePay?: ServicePayGlobal };
  return typeof ServicePay?.getPaid === 'function' ? ServicePay : undefined;
}

/**
 * Returns the address in the form that Trusted Types require, through one policy, `service-pay`
 * (D24, T16).
 */
function trusted(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: PolicyFactory };
  try {
    policy ??= trustedTypes?.createPolicy('service-pay', { createScriptURL: (address) => address });
  } catch (cause) {
    throw failure(
      "the page's Content-Security-Policy forbids the policy: add service-pay to its trusted-types directive",
      cause,
    );
  }
  return (policy?.createScriptURL(url) ?? url) as string;
}

function failure(message: string, cause?: unknown): ServicePayError {
  return new ServicePayError('load_failed', message, { cause });
}
