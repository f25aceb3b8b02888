import type { ReactiveControllerHost } from 'lit';

/** Calls `begin` each time an element is connected, with a signal that aborts when it is removed. */
export function whileConnected(
  host: ReactiveControllerHost,
  begin: (signal: AbortSignal) => void,
): void {
  let life = new AbortController();
  host.addController({
    hostConnected() {
      life = new AbortController();
      begin(life.signal);
    },
    hostDisconnected() {
      life.abort();
    },
  });
}
