/** Nobody, for a request without a cookie or a session, is undefined, null or an empty text. */
export type Owner = string | null | undefined;

/** Finds the owner that a request names in a cookie or a session, or a promise of it. */
export type FindOwner<Native> = (request: Native) => Owner | Promise<Owner>;

/** Returns the owner, or undefined for nobody. Throws a `TypeError` that names any other value. */
export async function readOwner<Native>(
  findOwner: FindOwner<Native>,
  request: Native,
): Promise<string | undefined> {
  const owner: unknown = await findOwner(request);
  if (owner === undefined || owner === null || owner === '') return undefined;
  if (typeof owner === 'string') return owner;
  throw new TypeError(
    `findOwner must return a text, or nothing for nobody, and not a ${typeof owner}. Return String(id) for a numeric id.`,
  );
}
