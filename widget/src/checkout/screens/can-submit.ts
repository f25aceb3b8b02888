/**
 * Returns false in a page that is sandboxed without `allow-forms`, and so is every frame in it. There
 * is no API for this; only a form that is submitted shows it.
 */
export function canSubmit(page: Document): boolean {
  let isSubmitted = false;
  const form = page.createElement('form');
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    isSubmitted = true;
  });
  page.body.append(form);
  form.requestSubmit();
  form.remove();
  return isSubmitted;
}
