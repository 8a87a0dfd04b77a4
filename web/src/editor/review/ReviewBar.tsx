import { reviewText as text } from '../../text/editor/review'
import { CommandButton } from '../commands/CommandButton'
import type { CommandName } from '../commands/commands'
import { useCommand } from '../commands/useCommand'
import { useEdits } from '../state/contexts'
import { useEditorStore } from '../state/store'

/** Goes through the cuts and decides on the selected one, with buttons large enough for a thumb. It belongs to the tab of the cuts. */
export function ReviewBar() {
  const { edits } = useEdits()
  const tab = useEditorStore((s) => s.onlyTab)
  if (edits.length === 0 || (tab !== null && tab !== 'cuts')) return null
  return (
    <div
      role="toolbar"
      aria-label={text.reviewLabel}
      className="flex h-14 shrink-0 items-center gap-2 border-t border-line bg-surface px-2"
    >
      <CommandButton name="previous" size={20} className="size-11" />
      <Decision name="reject" label={text.reject} />
      <Decision name="take" label={text.accept} />
      <CommandButton name="next" size={20} className="size-11" />
    </div>
  )
}

function Decision({ name, label }: { name: CommandName; label: string }) {
  const { icon: Icon, enabled, run } = useCommand(name)
  return (
    <button
      type="button"
      disabled={!enabled}
      onClick={run}
      className={`inline-flex h-11 flex-1 items-center justify-center gap-2 rounded-md text-sm font-semibold disabled:opacity-40 ${
        name === 'take' ? 'bg-accent text-accent-ink' : 'border border-line bg-raised text-ink'
      }`}
    >
      <Icon size={18} aria-hidden /> {label}
    </button>
  )
}
