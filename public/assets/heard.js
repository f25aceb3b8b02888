const log = document.getElementById('log');

/** Adds one line to what the page heard, newest last, with the moment it came. */
export function tell(what, detail) {
  const line = document.createElement('li');
  const name = document.createElement('strong');
  const moment = document.createElement('time');
  name.textContent = what;
  moment.textContent = ` · ${new Date().toLocaleTimeString()}`;
  line.append(name, detail ? ` ${detail}` : '', moment);
  log.append(line);
}

/**
 * A reference nobody can guess. A shop's server makes it, together with the order it stands for.
 */
export function makeReference() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `demo-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
