import type { isServicePayError } from './errors.ts';
import { ServicePayError } from './errors.ts';
import type { getPaid, preload } from './get-paid.ts';

/** What the script's tag defines on the page (specification 4.1). */
export interface ServicePayGlobal {
  getPaid: typeof getPaid;
  preload: typeof preload;
  isServicePayError: typeof isServicePayError;
}

type ScriptPolicy = { createScriptURL(url: string): unknown };
type PolicyFactory = {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): ScriptPolicy;
};

let loading: Promise<ServicePayGlobal> | undefined;
let policy: ScriptPolicy | undefined;

/**
 * Puts the service's script into the page, once, and gives what it defines; `null` on a server.
 * Rejects with `load_failed` when it cannot be had, naming the directive where the page's policy
 * refuses it (D24); the next call tries again.
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
  // A page that pins its script has pinned this one, too.
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
    document.head.append(tag);
  }).catch((error) => {
    tag.remove();
    throw error;
  });
  return defined() ?? Promise.reject(failure(`${url} is not the script of a payment service`));
}

/**
 * Kept once a tag that the page has of its own has loaded or failed. One that did so before anybody
 * listened is told by the page's own `load`.
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
 * The address as a page under Trusted Types takes it: by the one policy `service-pay`, made once
 * (D24, T16).
 */
function trusted(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: PolicyFactory };
  try {
    policy ??= trustedTypes?.createPolicy('service-pay', { createScriptURL: (address) => address });
  } catch (cause) {
    throw failure(
      "the page's Content-Security-Policy refuses the policy: add service-pay to its trusted-types directive",
      cause,
    );
  }
  return (policy?.createScriptURL(url) ?? url) as string;
}

function failure(message: string, cause?: unknown): ServicePayError {
  return new ServicePayError('load_failed', message, { cause });
}
