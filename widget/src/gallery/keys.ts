const STEPS: Readonly<Record<string, string>> = { ArrowLeft: 'prev', ArrowRight: 'next' };

/** Goes to the state before with ← and to the next with →, from whichever frame has the focus. */
export function followArrows(): void {
  window.addEventListener(
    'keydown',
    (event) => {
      const step = STEPS[event.key];
      if (!step || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (!needsArrows(event.composedPath()[0]))
        window.top?.document.querySelector<HTMLAnchorElement>(`a[rel=${step}]`)?.click();
    },
    true,
  );
}

function needsArrows(target: EventTarget | undefined): boolean {
  if (target instanceof HTMLInputElement) return target.type === 'radio' || target.value !== '';
  return target instanceof HTMLSelectElement;
}
