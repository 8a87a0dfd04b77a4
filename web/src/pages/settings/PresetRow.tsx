import { Pencil, Trash2 } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { commonText } from '../../text/common'
import { presetsText } from '../../text/presets'
import { IconButton } from '../../ui/Button'
import { Confirm } from '../../ui/Confirm'

export interface PresetRowProps {
  name: string
  /** A summary of its settings in one line. */
  summary: ReactNode
  before?: ReactNode
  badge?: ReactNode
  action?: ReactNode
  onEdit: () => void
  onDelete: () => void
}

/** A preset in a list with its actions. */
export function PresetRow({ name, summary, before, badge, action, onEdit, onDelete }: PresetRowProps) {
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
        <p className="text-xs text-muted">{summary}</p>
      </div>
      {action}
      <IconButton label={presetsText.editNamed(name)} onClick={onEdit}>
        <Pencil size={14} />
      </IconButton>
      <IconButton label={presetsText.deleteNamed(name)} onClick={() => setAsking(true)}>
        <Trash2 size={14} />
      </IconButton>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={presetsText.confirmDelete(name)}
        yes={commonText.delete}
        onConfirm={() => {
          setAsking(false)
          onDelete()
        }}
      >
        {presetsText.confirmDeleteHelp}
      </Confirm>
    </li>
  )
}
