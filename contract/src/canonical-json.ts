/**
 * Writes a value as JSON with the fields of each object in alphabetical order, so that equal values
 * have equal texts. Fields that are undefined count as absent. Throws a `TypeError` that names what
 * JSON would lose: a Map, a Set, FormData, a promise, a function, NaN (T156). Returns undefined for
 * undefined.
 */
export function toCanonicalJson(value: unknown, name: string): string | undefined {
  try {
    return JSON.stringify(value, (key, field: unknown) => {
      const lost = findLost(field);
      if (lost)
        throw new TypeError(`${key || name}: JSON cannot hold this ${lost}. Use plain objects.`);
      if (typeof field !== 'object' || field === null || Array.isArray(field)) return field;
      const fields = Object.entries(field);
      return Object.fromEntries(fields.sort(([one], [other]) => (one < other ? -1 : 1)));
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // sorted copies hide a circle from JSON.stringify
    throw new TypeError(
      `${name}: JSON cannot hold an object that contains itself, or so many levels.`,
    );
  }
}

/** Types whose contents are not in their fields, so that JSON loses them. */
const CONTAINERS = /^\[object (Map|Set|FormData|URLSearchParams|Promise)\]$/;

/** Returns what a value is, if JSON would lose it. */
function findLost(value: unknown): string | undefined {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? undefined : `${value}`;
    case 'object':
      return value && !Array.isArray(value) && isLost(value)
        ? (value.constructor?.name ?? 'object')
        : undefined;
    case 'function':
    case 'symbol':
    case 'bigint':
      return typeof value;
  }
  return undefined;
}

function isLost(value: object): boolean {
  if (CONTAINERS.test(Object.prototype.toString.call(value))) return true;
  return !Object.keys(value).length && !isPlain(value);
}

/** Returns whether an object is a literal, also one of another frame. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
