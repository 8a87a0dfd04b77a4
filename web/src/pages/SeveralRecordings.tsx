import { Files, Film, ListPlus } from 'lucide-react'
import { useEffect, useRef, type ReactNode } from 'react'
import { chosenSeveral } from '../api/projects'
import { useSetting } from '../api/settings'
import { projectsText as text } from '../text/projects'
import { Dialog } from '../ui/Dialog'
import { fileNames } from './material'
import type { Destination, Drop } from './useCreateFromDrop'

/** How many names the dialog lists. */
const LISTED = 4

const ICONS: Record<Destination, ReactNode> = {
  here: <ListPlus size={20} aria-hidden />,
  one: <Film size={20} aria-hidden />,
  each: <Files size={20} aria-hidden />,
}

/** Asks what recordings become. The open project has the focus, or else the last choice. */
export function SeveralRecordings({ drop: { waiting, destinations, choose, cancel } }: { drop: Drop }) {
  const names = waiting ? fileNames(waiting) : []
  return (
    <Dialog
      open={waiting !== null}
      onOpenChange={(open) => !open && cancel()}
      title={text.several(names.length)}
      description={text.severalNames(names.slice(0, LISTED), names.length)}
    >
      <Choices count={names.length} destinations={destinations} choose={choose} />
    </Dialog>
  )
}

type ChoicesProps = Pick<Drop, 'destinations' | 'choose'> & { count: number }

function Choices({ count, destinations, choose }: ChoicesProps) {
  const list = useRef<HTMLDivElement>(null)
  const last = chosenSeveral(useSetting('projects.several'))
  const first = destinations[0] === 'here' ? 'here' : last
  // The account may tell its last choice after the dialog has opened.
  useEffect(() => list.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus(), [first])
  return (
    <div ref={list} className="flex flex-col gap-2">
      {destinations.map((destination) => (
        <button
          key={destination}
          type="button"
          data-autofocus={destination === first || undefined}
          onClick={() => choose(destination)}
          className="flex items-center gap-4 rounded-lg border border-line bg-raised px-4 py-3 text-left transition-colors hover:border-strong hover:bg-hover"
        >
          <span className="text-accent">{ICONS[destination]}</span>
          <span>
            <span className="block text-sm font-semibold">{text.severalAs[destination](count)}</span>
            <span className="block text-xs text-muted">{text.severalHelp[destination](count)}</span>
          </span>
        </button>
      ))}
    </div>
  )
}
