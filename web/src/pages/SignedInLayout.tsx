import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { inWindow } from '../api/desktop'
import { useQueuedAnalyses } from '../editor/state/analysisQueue'
import { WindowMenu } from './WindowMenu'

const Palette = lazy(async () => ({ default: (await import('./Palette')).Palette }))

/** The layout of pages that need a session. Ctrl+K opens the command palette. */
export function SignedInLayout() {
  const [open, setOpen] = useState(false)
  useQueuedAnalyses()
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
      event.preventDefault()
      setOpen((o) => !o)
    }

    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])

  return (
    <>
      <Outlet />
      {inWindow() && <WindowMenu />}
      {open && (
        <Suspense>
          <Palette onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
