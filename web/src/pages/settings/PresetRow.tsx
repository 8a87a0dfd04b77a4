import { Pencil, Trash2 } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { IconButton } from '../../ui/Button'
import { Confirm } from '../../ui/Confirm'

interface PresetRowProps {
  name: string
  /** What it sets, in one line. */
  says: ReactNode
  before?: ReactNode
  badge?: ReactNode
  action?: ReactNode
  onEdit: () => void
  onDelete: () => void
}

/** A preset in a list, with what can be done with it. */
export function PresetRow({ name, says, before, badge, action, onEdit, onDelete }: PresetRowProps) {
  const [asking, setAsking] = useState(false)
  return (
    <li className="flex items-center gap-3 py-2">
      {before}
      <div className="min-w-0 flex-1">
        <p className="flex items-center gap-2 text-sm font-medium">
          <span dir="auto" className="truncate">
            {name}
          </span>{' '}
          {badge}
        </p>
        <p className="text-xs text-muted">{says}</p>
      </div>
      {action}
      <IconButton label={`Edit ${name}`} onClick={onEdit}>
        <Pencil size={14} />
      </IconButton>
      <IconButton label={`Delete ${name}`} onClick={() => setAsking(true)}>
        <Trash2 size={14} />
      </IconButton>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={`Delete “${name}”?`}
        yes="Delete"
        onConfirm={() => {
          setAsking(false)
          onDelete()
        }}
      >
        Projects that were made with it keep what they have.
      </Confirm>
    </li>
  )
}
