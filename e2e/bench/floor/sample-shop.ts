import express from 'express';

/**
 * The server that integration guides print today: it calls the service, passes the status on, and
 * stores nothing.
 */
const app = express();
const [upstream, port] = process.argv.slice(2);

app.post('/api/payments/:reference/verify', async (request, res) => {
  const response = await fetch(
    `${upstream}/access/v2/collections/status/${request.params.reference}`,
    { headers: { authorization: 'Bearer sec_sandbox_demo' } },
  );
  const { data } = (await response.json()) as { data: { status: string } };
  res.json({ status: true, message: '', data: { status: data.status } });
});

app.listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${port}`));
