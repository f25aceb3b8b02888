const MASK = '•••';
const SHORTEST_SECRET = 6;
const MOST_SHOWN = 500;

/** Characters that steer a terminal or turn text around, and ends of lines. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Returns what a service sent without `secrets`, and as one line that a terminal shows as it is. */
export function mask(text: string, secrets: Iterable<string>): string {
  const shown = [...secrets]
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .sort((one, other) => other.length - one.length)
    .reduce((rest, secret) => rest.replaceAll(secret, MASK), text)
    .replace(CONTROLS, '\ufffd');
  return shown.length > MOST_SHOWN ? `${shown.slice(0, MOST_SHOWN)}…` : shown;
}
