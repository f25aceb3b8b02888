// Plain JavaScript without imports: a Node too old for the rest must still be able to read it and
// say so.
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 19)) {
  console.error(
    `ServicePay needs Node 22.19 or newer, and this is ${process.versions.node}. Install Node 24 ` +
      'from https://nodejs.org, or run "npm install --save-dev node@24" here (in a clone of ServicePay, "npm ci").',
  );
  process.exit(1);
}

// Caches the stripped sources: a start then takes a third less time and 20 MB less memory. If the
// folder is read-only, Node goes on without the cache.
const { enableCompileCache, flushCompileCache } = await import('node:module');
const { resolve } = await import('node:path');
const { pathToFileURL } = await import('node:url');
if (!process.env.NODE_COMPILE_CACHE) enableCompileCache(resolve('node_modules/.cache/node'));

// npm starts us through a shell, and Debian's dies of a signal without passing it on. So a program
// stops by itself once its parent has gone.
const parent = process.ppid;
const watching = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(watching);
  process.kill(process.pid, 'SIGTERM');
}, 500).unref();

// The program to run is the first argument; it sees its own arguments in the usual place.
process.argv.splice(1, 1);
await import(pathToFileURL(process.argv[1]).href).catch((error) => {
  if (!String(error.code).startsWith('ERR_PARSE_ARGS_')) throw error;
  console.error(error.message); // an unknown option: no stack
  process.exit(1);
});
flushCompileCache(); // now, since a server may be killed
