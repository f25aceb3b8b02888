import { createHash, createHmac } from 'node:crypto';
import SqliteFile from 'better-sqlite3';
import express from 'express';

/**
 * The server that integration guides print today: ask the service and pass the answer on; check a
 * webhook's signature and believe what it says. What is paid is kept in memory, or with a third
 * argument in a file as SQLite comes.
 */
const app = express();
const [upstream, port, file] = process.argv.slice(2);
const TOKEN = 'sec_sandbox_demo';
const KEY = createHash('sha256').update(TOKEN).digest('hex');
const markPaid = file ? buildFile(file) : buildMemory();

app.post('/api/payments/:reference/verify', async (request, response) => {
  const answer = await fetch(
    `${upstream}/access/v2/collections/status/${request.params.reference}`,
    {
      headers: { authorization: `Bearer ${TOKEN}` },
    },
  );
  const { data } = (await answer.json()) as { data: { status: string } };
  response.json({ status: true, message: '', data: { status: data.status } });
});

app.post(
  '/webhooks/service-pay',
  express.text({ type: 'application/json' }),
  (request, response) => {
    const signature = createHmac('sha512', KEY).update(request.body).digest('hex');
    if (signature !== request.headers['x-servicepay-signature'])
      return void response.sendStatus(401);
    const { event, data } = JSON.parse(request.body) as {
      event: string;
      data: { reference: string };
    };
    if (event === 'collection.successful') markPaid(data.reference);
    response.sendStatus(200);
  },
);

app.listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${port}`));

function buildMemory(): (reference: string) => void {
  const orders = new Map<string, string>();
  return (reference) => void orders.set(reference, 'paid');
}

function buildFile(path: string): (reference: string) => void {
  const database = new SqliteFile(path);
  database.exec('create table orders (reference text primary key, status text)');
  const mark = database.prepare(
    'insert into orders values (?, ?) on conflict do update set status = excluded.status',
  );
  return (reference) => void mark.run(reference, 'paid');
}
