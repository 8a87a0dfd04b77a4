import { changeSetting, setting, useSetting } from '../../api/settings'

/** The hints of the editor: how to go through the cuts, to use the timeline, and to place assets. */
type Hint = 'review' | 'timeline' | 'assets'

/** Whether to show a hint: until the first use, on any device of the account. */
export const useHint = (hint: Hint): boolean => !listOf(useSetting('hints')).includes(hint)

/** Remembers in the account that a person has done what a hint tells. */
export function hintUsed(hint: Hint): void {
  const used = listOf(setting('hints'))
  if (!used.includes(hint)) changeSetting('hints', JSON.stringify([...used, hint]))
}

function listOf(text: string | null): unknown[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(list) ? list : []
  } catch {
    return []
  }
}
