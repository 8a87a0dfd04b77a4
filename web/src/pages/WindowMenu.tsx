import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useState } from 'react'
import { answerWindow, CLOSING_EVENT, onWindowCommand, tellWindow } from '../api/windowState'
import { flushSettings } from '../api/settings'
import { useThemeChoice } from '../ui/theme'
import type { Material } from './material'
import { NewProject } from './NewProject'
import { useOpenProject } from './projectHooks'

/** Connects the page with the desktop window: its title, its theme, and the commands of its menu that every view has. */
export function WindowMenu() {
  const [creating, setCreating] = useState<Material | null>(null)
  const navigate = useNavigate()
  const openProject = useOpenProject()
  const run = useEffectEvent((name: string) => {
    if (name.startsWith('project:')) openProject(name.slice('project:'.length))
    else if (name === 'newProject') setCreating({ files: [] })
    else if (name === 'projects') void navigate({ to: '/' })
    else if (name === 'library') void navigate({ to: '/library', search: {} })
    else if (name === 'settings') void navigate({ to: '/settings' })
    else if (name === 'helpPage') void navigate({ to: '/settings/help' })
  })

  useEffect(() => onWindowCommand((name) => run(name)), [])
  const theme = useThemeChoice()
  useEffect(() => tellWindow({ theme: theme === 'system' ? null : theme }), [theme])
  useEffect(() => {
    const tell = () => tellWindow({ title: document.title })
    tell()
    const observer = new MutationObserver(tell)
    observer.observe(document.head, { childList: true, subtree: true, characterData: true })
    return () => observer.disconnect()
  }, [])

  useEffect(() => {
    // A field saves its text when it loses the focus. The window gets the answer after that request.
    const close = () => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
      setTimeout(() => void flushSettings().then(answerWindow))
    }

    window.addEventListener(CLOSING_EVENT, close)
    return () => window.removeEventListener(CLOSING_EVENT, close)
  }, [])

  return <NewProject material={creating} onClose={() => setCreating(null)} />
}
