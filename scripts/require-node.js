// Plain JavaScript without imports: a Node too old for the rest must still be able to read it and say so.
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 19)) {
  console.error(
    `ServicePay needs Node 22.19 or newer and this is ${process.versions.node}: run "npm ci" with install scripts allowed ` +
      '(it brings Node 24 for every "npm run"), or install a newer Node.',
  );
  process.exit(1);
}

// The program to run is the first argument; it sees its own arguments in the usual place.
process.argv.splice(1, 1);
await import(new URL(process.argv[1], `file://${process.cwd()}/`).href);
