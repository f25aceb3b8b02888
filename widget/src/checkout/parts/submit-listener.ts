/**
 * Returns a listener for the `click` and `submit` events of a form that acts once for a press of its
 * submit button and for Enter, which browsers turn into such a press. It does not rely on `submit`:
 * none is dispatched in a page that is sandboxed without `allow-forms` (T127). A `submit` without a
 * press, by a password manager, acts too.
 */
export function submitListener(act: () => Promise<void>): (event: Event) => Promise<void> {
  let hasActed = false;
  return async (event) => {
    if (event.type === 'submit') {
      event.preventDefault();
      const isOfPress = hasActed && (event as SubmitEvent).submitter;
      hasActed = false;
      if (isOfPress) return;
    } else if ((event.target as Element).closest('[type=submit]')) hasActed = true;
    else return;
    await act();
  };
}
