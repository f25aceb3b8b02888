/** A body as it may have been before somebody between the sender and the check wrote it anew. */
export interface BodyForm {
  bytes: Buffer;
  /** What was done to it on the way. */
  change: string;
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Ways in which programs write the same JSON: how wide, what they escape, in which order. */
const LAYOUTS: { name: string; write: (value: unknown) => string }[] = [
  { name: 'compact', write: (value) => JSON.stringify(value) },
  { name: 'indented by 2', write: (value) => JSON.stringify(value, null, 2) },
  { name: 'indented by 4', write: (value) => JSON.stringify(value, null, 4) },
  { name: 'indented by tabs', write: (value) => JSON.stringify(value, null, '\t') },
  { name: 'with blanks after commas and colons', write: writeSpaced },
];
const UNICODE: { name: string; write: (json: string) => string }[] = [
  { name: '', write: (json) => json },
  {
    name: 'characters beyond ASCII escaped',
    write: (json) => json.replace(/[\u007f-\uffff]/g, (one) => escapeCharacter(one)),
  },
  {
    name: 'characters beyond ASCII escaped in capitals',
    write: (json) => json.replace(/[\u007f-\uffff]/g, (one) => escapeCharacter(one, true)),
  },
];
const SLASHES: { name: string; write: (json: string) => string }[] = [
  { name: '', write: (json) => json },
  { name: 'slashes escaped', write: (json) => json.replaceAll('/', '\\/') },
  {
    name: '<, > and & escaped',
    write: (json) => json.replace(/[<>&]/g, (one) => escapeCharacter(one)),
  },
];

/**
 * The bodies that may have been signed where this one was received: the same JSON as other programs
 * write it, other line ends, another character set. The likeliest come first; the body itself is
 * not among them.
 */
export function* bodyForms(received: Buffer): Generator<BodyForm> {
  const text = received.toString('utf8');
  yield { bytes: Buffer.from(text.trimEnd()), change: 'a line end was added after it' };
  yield { bytes: Buffer.from(`${text}\n`), change: 'the line end after it was cut off' };
  yield { bytes: Buffer.from(`${text}\r\n`), change: 'the line end after it was cut off' };
  yield { bytes: Buffer.from(text.replaceAll('\r\n', '\n')), change: 'its line ends were changed' };
  yield {
    bytes: Buffer.from(text.replace(/(?<!\r)\n/g, '\r\n')),
    change: 'its line ends were changed',
  };
  yield {
    bytes: Buffer.concat([BYTE_ORDER_MARK, received]),
    change: 'its byte order mark was cut off',
  };
  if (received.subarray(0, 3).equals(BYTE_ORDER_MARK))
    yield { bytes: received.subarray(3), change: 'a byte order mark was put before it' };
  yield { bytes: Buffer.from(text, 'latin1'), change: 'its UTF-8 was read as Latin-1' };
  yield {
    bytes: Buffer.from(received.toString('latin1')),
    change: 'it was written as Latin-1 instead of UTF-8',
  };

  const value = parse(text);
  if (value === undefined) return;
  for (const [order, ordered] of [
    ['', value],
    ['its members sorted', sort(value)],
  ] as const) {
    for (const layout of LAYOUTS) {
      for (const unicode of UNICODE) {
        for (const slashes of SLASHES) {
          const json = unicode.write(slashes.write(layout.write(ordered)));
          const form = [layout.name, order, unicode.name, slashes.name].filter(Boolean).join(', ');
          yield {
            bytes: Buffer.from(json),
            change: `it was re-serialised: what was signed is the form ${form}`,
          };
          yield {
            bytes: Buffer.from(`${json}\n`),
            change: `it was re-serialised: what was signed is the form ${form}, with a line end after it`,
          };
        }
      }
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
}

function writeSpaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeSpaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}: ${writeSpaced(member)}`)
    .join(', ')}}`;
}

function sort(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sort);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sort(member)]));
}

function escapeCharacter(character: string, inCapitals = false): string {
  const digits = character.charCodeAt(0).toString(16).padStart(4, '0');
  return `\\u${inCapitals ? digits.toUpperCase() : digits}`;
}
