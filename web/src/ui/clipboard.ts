/** Copies a text during a click or a key press. Returns whether the browser did. */
export async function copyText(text: string): Promise<boolean> {
  // Missing on pages over plain HTTP from another machine, whatever its type says.
  const clipboard = navigator.clipboard as Clipboard | undefined
  if (clipboard) {
    return clipboard.writeText(text).then(
      () => true,
      () => false,
    )
  }

  const write = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    event.stopImmediatePropagation()
  }

  window.addEventListener('copy', write, { capture: true })
  try {
    return document.execCommand('copy') // deprecated, and all that such a page has
  } finally {
    window.removeEventListener('copy', write, { capture: true })
  }
}
