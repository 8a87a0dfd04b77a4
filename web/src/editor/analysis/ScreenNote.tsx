import { Monitor } from 'lucide-react'
import { cutOptionsText as text } from '../../text/editor/cutOptions'
import { Button } from '../../ui/Button'
import { useProject } from '../state/contexts'

/** Says why silences stay while the video changes, and offers to cut them. */
export function ScreenNote({ onSwitchOff }: { onSwitchOff: () => void }) {
  const { clips } = useProject()
  return (
    <div role="note" className="flex items-center gap-2 text-xs text-muted">
      <Monitor size={14} className="shrink-0 text-accent" aria-hidden />
      <span className="min-w-0 flex-1">{text.screen(clips.length)}</span>
      <Button size="sm" variant="quiet" className="h-6 px-1" onClick={onSwitchOff}>
        {text.switchScreenOff}
      </Button>
    </div>
  )
}
