const status = document.querySelector('[role=status]');
let handle;
let loading;

addEventListener('message', async ({ data, origin, source }) => {
  if (origin !== location.origin || source !== parent) return;
  try {
    loading ??= loadScript(data.serviceUrl);
    await loading;
    handle?.close();
    await handle?.result;
    applyTheme(data.theme);
    handle = ServicePay.getPaid({
      ...data.request,
      reference: `playground-${crypto.randomUUID()}`,
      onSuccess: ({ reference }) => show(`onSuccess({ reference: '${reference}' })`),
      onClose: () => show('onClose()'),
      onConfirmationPending: () => show('onConfirmationPending()'),
    });
  } catch (error) {
    show(`${error.code ?? error.name}: ${error.message}`);
  }
});

function loadScript(serviceUrl) {
  return new Promise((resolve, reject) => {
    const tag = document.createElement('script');
    tag.addEventListener('load', resolve);
    tag.addEventListener('error', () => {
      loading = undefined;
      reject(
        new Error(
          `No sandbox responds at ${serviceUrl}. Start one on your machine (npx --no -- service-pay-sandbox) and enter its address.`,
        ),
      );
    });
    tag.src = `${serviceUrl}/js/v1/inline.js`;
    document.head.append(tag);
  });
}

function applyTheme({ accent, radius }) {
  document.documentElement.style.setProperty('--service-pay-accent', accent);
  document.documentElement.style.setProperty('--service-pay-radius', radius);
}

function show(words) {
  status.textContent = words;
  parent.postMessage({ words }, location.origin);
}
