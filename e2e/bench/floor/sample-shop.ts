import express from 'express';

/**
 * The server that integration guides print today: it asks the service and passes the answer on, and
 * stores nothing.
 */
const app = express();
const [upstream, port] = process.argv.slice(2);

app.post('/api/payments/:reference/verify', async (request, response) => {
  const answer = await fetch(
    `${upstream}/access/v2/collections/status/${request.params.reference}`,
    { headers: { authorization: 'Bearer sec_sandbox_demo' } },
  );
  const { data } = (await answer.json()) as { data: { status: string } };
  response.json({ status: true, message: '', data: { status: data.status } });
});

app.listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${port}`));
