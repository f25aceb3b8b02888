import { isLoopbackHost } from '@service-pay/contract/loopback';

/**
 * Tells whether an address could take webhooks at all: http(s), without a user name or password.
 */
export function isWebhookUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password;
}

/**
 * The host of an address, as it is compared with those allowed: IPv6 without brackets. Empty where
 * it is no address.
 */
export function webhookHostOf(text: string): string {
  return (URL.parse(text)?.hostname ?? '').replace(/^\[|\]$/g, '');
}

/**
 * Tells whether webhooks may go to an address: http(s) without a user, to this machine or a host
 * allowed by name (T57).
 */
export function isAllowedWebhookUrl(text: string, hosts: ReadonlySet<string>): boolean {
  const host = webhookHostOf(text);
  return isWebhookUrl(text) && (isLoopbackHost(host) || hosts.has(host));
}
