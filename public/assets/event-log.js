const log = document.getElementById('log');

/** Adds an event to the list on the page, newest last, with its time. */
export function logEvent(what, detail) {
  const line = document.createElement('li');
  const name = document.createElement('strong');
  const moment = document.createElement('time');
  name.textContent = what;
  moment.textContent = ` · ${new Date().toLocaleTimeString()}`;
  line.append(name, detail ? ` ${detail}` : '', moment);
  log.append(line);
}

/** Returns a reference that cannot be guessed. In a shop, the server creates it with the order. */
export function makeReference() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `demo-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
