const VARYING_NUMBERS = new Set(['tookMs']);

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const SECRET = /(?<=\/checkout\/v1\/challenges\/)[\w-]{32}/g;
const SIGNATURE = /\b[0-9a-f]{128}\b/g;
const TOKEN = /^[\w-]{43}$/;

/**
 * Replaces values that vary from run to run with placeholders, each value always with the same one.
 */
export class ConversationNotes {
  readonly #names = new Map<string, string>();
  #fixed = '';

  constructor(known: Record<string, string>) {
    for (const [name, value] of Object.entries(known)) this.#names.set(value, name);
  }

  /** Registers a fixed text, such as a request in a file, whose values do not vary. */
  fix(text: string): void {
    this.#fixed += ` ${text}`;
  }

  fill(text: string): string {
    return text.replace(
      /\{\{[\w-]+\}\}/g,
      (name) => [...this.#names].find(([, known]) => known === name)?.[0] ?? name,
    );
  }

  /** Returns the response with placeholders, each named after the field it was first seen in. */
  note(value: unknown, member = '', parent = ''): unknown {
    if (Array.isArray(value)) return value.map((item) => this.note(item, member, parent));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, this.note(inner, name, member)]),
      );
    }
    if (VARYING_NUMBERS.has(member) && typeof value === 'number') return '{{number}}';
    if (typeof value !== 'string') return value;
    if (TOKEN.test(value)) return this.#nameOf(value, 'token');
    if (value.match(UUID)?.[0] === value)
      this.#nameOf(value, member === 'id' && parent && parent !== 'data' ? `${parent}-id` : member);
    return this.replace(value);
  }

  replace(text: string): string {
    const replaced = [...this.#names]
      .filter(([, name]) => !name.startsWith('{{uuid'))
      .reduce((made, [value, name]) => made.replaceAll(value, name), text);
    return replaced
      .replace(SECRET, (secret) => this.#nameOf(secret, 'challenge'))
      .replace(UUID, (id) => (this.#isHeard(id) ? id : '{{uuid}}'))
      .replace(TIME, (time) => (this.#isHeard(time) ? time : '{{time}}'))
      .replace(SIGNATURE, '{{signature}}');
  }

  #isHeard(value: string): boolean {
    return this.#fixed.includes(value);
  }

  #nameOf(value: string, member: string): string {
    if (this.#isHeard(value)) return value;
    const known = this.#names.get(value);
    if (known) return known;
    const word = member.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const taken = [...this.#names.values()].filter(
      (name) => name === `{{${word}}}` || name.startsWith(`{{${word}-`),
    ).length;
    const name = `{{${word}${taken ? `-${taken + 1}` : ''}}}`;
    this.#names.set(value, name);
    return name;
  }
}
