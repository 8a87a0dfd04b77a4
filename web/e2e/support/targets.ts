import type { Page } from '@playwright/test'

/** The least size of a target for a finger, in CSS pixels. */
const LEAST = 40

/**
 * Returns the enabled targets in the open dialog or menu, otherwise on the page, that a finger can miss: from the middle of one,
 * half the least size in some direction hits something else. Links and pauses within text are exempt, as in WCAG 2.5.8.
 */
export const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate((least) => {
    const kinds = ['button', 'switch', 'checkbox', 'radio', 'tab', 'menuitem', 'option', 'slider', 'combobox']
    const selector = `a[href], button, input, select, textarea, summary, ${kinds.map((k) => `[role=${k}]`).join()}`
    const layers = [...document.querySelectorAll('[role=dialog], [role=alertdialog], [role=menu]')]
    const part = layers.at(-1) ?? document.body

    const isTarget = (e: HTMLElement) => {
      const { width, height } = e.getBoundingClientRect()
      const isOff =
        e.matches(':disabled, [data-disabled], .sr-only, [aria-hidden=true], [aria-hidden=true] *') ||
        e.closest('[inert]')

      return width > 1 && height > 1 && !isOff && e.checkVisibility({ visibilityProperty: true })
    }

    const isInText = (e: HTMLElement) =>
      e.matches('[data-pause]') ||
      (e.matches('a') &&
        window.getComputedStyle(e).display === 'inline' &&
        (e.parentElement?.textContent?.trim() ?? '') !== e.textContent?.trim())

    const hits = (e: HTMLElement, x: number, y: number) => {
      const hit = document.elementFromPoint(x, y)
      const labels = e instanceof HTMLInputElement ? [...(e.labels ?? [])] : []
      return [e, ...labels].some((own) => own.contains(hit))
    }

    return [...part.querySelectorAll<HTMLElement>(selector)]
      .filter((e) => isTarget(e) && !isInText(e))
      .filter((e) => {
        e.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
        const box = e.getBoundingClientRect()
        const x = (Math.max(box.left, 0) + Math.min(box.right, window.innerWidth)) / 2
        const y = box.top + box.height / 2
        const reach = least / 2 - 1 // places are rounded
        return ![
          [x - reach, y],
          [x + reach, y],
          [x, y - reach],
          [x, y + reach],
        ].every(([x = 0, y = 0]) => hits(e, x, y))
      })
      .map((e) => {
        const { width, height } = e.getBoundingClientRect()
        const name = e.getAttribute('aria-label') ?? (e.textContent?.trim() || e.id || e.className)
        return `${e.tagName} “${name.slice(0, 40)}” ${Math.round(width)}×${Math.round(height)}`
      })
  }, LEAST)
