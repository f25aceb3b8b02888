// Tells in one sentence what a call or an event did, on screen and to screen readers.

/** A notice lies on top of the page, so it must not stay. */
const SHOWN_MS = 10_000;

let hiding: ReturnType<typeof setTimeout> | undefined;

/** Gives each dialog its own notice, because everything around an open one is inert. */
export function startNotices() {
  for (const dialog of document.querySelectorAll('dialog')) {
    const notice = document.createElement('p');
    notice.className = 'notice';
    notice.role = 'status';
    dialog.prepend(notice);
  }
}

/** Shows and announces one sentence, even if it is the same as before. */
export function say(text: string) {
  hide();
  // A dialog that opens on top of another comes later in the page.
  const place = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;
  place.querySelector(':scope > .notice')!.textContent = text;
  clearTimeout(hiding);
  hiding = setTimeout(hide, SHOWN_MS);
}

function hide() {
  for (const notice of document.querySelectorAll('.notice')) notice.textContent = '';
}
