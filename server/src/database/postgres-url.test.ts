import pg from 'pg';
import { describe, expect, test } from 'vitest';

import { hostsOf, isPostgresAddress } from './postgres-url.ts';

describe('the address of a PostgreSQL', () => {
  test.each([
    'postgres://u:p@localhost/d',
    'postgres://u:p@localhost/d?host=remote',
    'postgres://u:p@remote/d?host=localhost&port=1',
    'postgres://u:p@remote/d?ho%73t=localhost',
    'postgres://u:p@remote/d?host=',
    'postgres://u:p%40localhost@remote/d',
    'postgres://u:p@localhost@remote/d',
    'postgres://[::1]/d',
    'postgres:///d?host=/run/postgresql',
    'postgres://%2Frun%2Fpostgresql/d',
  ])('the address of a PostgreSQL leads to the host that pg takes: %s', (address) => {
    const { host, database } = new pg.Client({ connectionString: address });

    expect(isPostgresAddress(address)).toBe(true);
    expect(hostsOf(address)[0]).toBe(host);
    expect(database).toBe('d');
  });

  test.each([
    'postgres://h',
    'postgres:///d',
    'postgres:///d?host=',
    'postgres://u:p/w@h/d',
    'postgres://u:1/w@h',
    'postgres://u:p w@h/d',
    'postgres://h/d?host=a&host=b',
    'postgres://h/d?options=%zz',
    'postgres://u:p@h1,h2/d',
    'postgres://u:p@h1:1,h2:2/d',
    'postgres:///d?host=h1,h2',
  ])('the address of a PostgreSQL is rejected where it is not clear: %s', (address) => {
    expect(isPostgresAddress(address)).toBe(false);
  });
});
