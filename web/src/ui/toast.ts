import { create } from 'zustand'

export interface Toast {
  id: number
  tone: 'plain' | 'success' | 'danger'
  title: string
  description?: string | undefined
}

/** How many are shown at once; the oldest make room. */
const MOST = 3

/** What there is to tell, the newest last. */
export const useToasts = create<{ list: Toast[] }>(() => ({ list: [] }))

let given = 0

function tell(tone: Toast['tone'], title: string, { description }: { description?: string | undefined } = {}): void {
  const next = { id: ++given, tone, title, description }
  // The same once more takes the place of the first.
  useToasts.setState(({ list }) => ({ list: [...list.filter((t) => t.title !== title || t.description !== description), next].slice(-MOST) }))
}

/** Tells what came of something, in passing. */
export const toast = Object.assign((title: string, more?: { description?: string | undefined }) => tell('plain', title, more), {
  success: (title: string, more?: { description?: string | undefined }) => tell('success', title, more),
  error: (title: string, more?: { description?: string | undefined }) => tell('danger', title, more),
})

export function dismiss(id: number): void {
  useToasts.setState(({ list }) => ({ list: list.filter((t) => t.id !== id) }))
}
