/**
 * The smallest possible payment form: a dialog, and a frame whose page is one plain input. The
 * frame can be loaded ahead in the closed dialog.
 */
const dialog = document.createElement('dialog');

declare global {
  var preloadInput: (frameUrl: string) => void;
  var openInput: (frameUrl: string) => void;
}

globalThis.preloadInput = (frameUrl) => {
  const frame = document.createElement('iframe');
  frame.src = frameUrl;
  dialog.append(frame);
  document.body.append(dialog);
};

globalThis.openInput = (frameUrl) => {
  if (!dialog.isConnected) preloadInput(frameUrl);
  dialog.showModal();
};
