import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { SandboxOptions } from '../app/options.ts';
import { type Sandbox, startSandbox } from '../app/start.ts';

/** Starts one sandbox for the tests of a file, and resets it before each. */
export function shareSandbox(options: SandboxOptions = {}): Pick<Sandbox, 'url' | 'control'> {
  let started: Sandbox;
  beforeAll(async () => {
    started = await startSandbox(options);
  });
  afterAll(() => started.close());
  beforeEach(() => started.control.reset());

  return {
    get url() {
      return started.url;
    },
    get control() {
      return started.control;
    },
  };
}
