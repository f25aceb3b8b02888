import type { Pool } from 'pg';

const SCHEMA = 'preview';

/** Says how to give an environment a database of its own, with an address that works. */
export function adviseOnPlace(place: string | Pool): string {
  if (typeof place === 'string' && place.startsWith('file:'))
    return `Give each environment a file of its own, such as file:${SCHEMA}.db.`;
  return `Give each environment a database of its own, or a schema: create schema ${SCHEMA}; then ${adviseOnSchema(place)}.`;
}

/** Says how to put the tables into a schema. */
export function adviseOnSchema(place: string | Pool, schema = SCHEMA): string {
  const option = `-c search_path=${schema}`;
  if (typeof place !== 'string') return `give the Pool options: '${option}'`;
  const { search, searchParams } = URL.parse(place) ?? {};
  if (searchParams?.has('options'))
    return `set search_path=${schema} in the options of the address`;
  return `end the address in ${search ? '&' : '?'}options=${encodeURIComponent(option)}`;
}

/** Writes the command that lets a service and a public key use a database. */
export function writeAddCommand({
  service,
  publicKey = '<public key>',
}: {
  service: string;
  publicKey?: string | undefined;
}): string {
  return `npx --no -- service-pay environment add ${service} ${publicKey}`;
}
