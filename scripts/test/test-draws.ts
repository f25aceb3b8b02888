import fc from 'fast-check';

// The gate draws the same values each time, so that only a change can make it fail. `test:all`, and
// a file run with `DRAW_ANEW=1`, draw new ones and name the seed of a failure.
if (!process.env.DRAW_ANEW) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261_123 });
