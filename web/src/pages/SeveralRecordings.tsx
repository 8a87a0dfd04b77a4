import { Files, Film } from 'lucide-react'
import { useEffect, useRef, type ReactNode } from 'react'
import { chosenSeveral, SEVERAL, type Several } from '../api/projects'
import { useSetting } from '../api/settings'
import { projectsText as text } from '../text/projects'
import { Dialog } from '../ui/Dialog'
import { fileNames } from './material'
import type { Drop } from './useCreateFromDrop'

/** How many names the dialog lists. */
const LISTED = 4

const ICONS: Record<Several, ReactNode> = {
  one: <Film size={20} aria-hidden />,
  each: <Files size={20} aria-hidden />,
}

/** Asks what several recordings become. The last choice has the focus. */
export function SeveralRecordings({ drop: { waiting, choose, cancel } }: { drop: Drop }) {
  const names = waiting ? fileNames(waiting) : []
  return (
    <Dialog
      open={waiting !== null}
      onOpenChange={(open) => !open && cancel()}
      title={text.several(names.length)}
      description={text.severalNames(names.slice(0, LISTED), names.length)}
    >
      <Choices names={names} choose={choose} />
    </Dialog>
  )
}

function Choices({ names, choose }: { names: string[]; choose: (several: Several) => void }) {
  const list = useRef<HTMLDivElement>(null)
  const last = chosenSeveral(useSetting('projects.several'))
  // The account may tell its last choice after the dialog has opened.
  useEffect(() => list.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus(), [last])
  return (
    <div ref={list} className="flex flex-col gap-2">
      {SEVERAL.map((several) => (
        <button
          key={several}
          type="button"
          data-autofocus={several === last || undefined}
          onClick={() => choose(several)}
          className="flex items-center gap-4 rounded-lg border border-line bg-raised px-4 py-3 text-left transition-colors hover:border-strong hover:bg-hover"
        >
          <span className="text-accent">{ICONS[several]}</span>
          <span>
            <span className="block text-sm font-semibold">{text.severalAs[several]}</span>
            <span className="block text-xs text-muted">{text.severalHelp[several](names.length)}</span>
          </span>
        </button>
      ))}
    </div>
  )
}
