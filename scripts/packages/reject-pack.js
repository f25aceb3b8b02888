console.error(
  'This folder holds sources, not what is published. Pack it in the root of the project: npm run pack -- <folder>',
);
process.exitCode = 1;
