import { isLoopbackHost } from '@service-pay/contract/loopback';

export function isWebhookUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password;
}

/**
 * Returns the host to compare with allowed hosts: IPv6 without brackets; empty if the URL is
 * invalid.
 */
export function webhookHostOf(text: string): string {
  return (URL.parse(text)?.hostname ?? '').replace(/^\[|\]$/g, '');
}

/** Returns whether webhooks may go to a URL: this machine, or a host allowed by name (T57). */
export function isAllowedWebhookUrl(text: string, hosts: ReadonlySet<string>): boolean {
  const host = webhookHostOf(text);
  return isWebhookUrl(text) && (isLoopbackHost(host) || hosts.has(host));
}
