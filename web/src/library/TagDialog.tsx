import { useState } from 'react'
import type { Asset } from '../api/assets'
import { commonText } from '../text/common'
import { libraryText } from '../text/library'
import { Button } from '../ui/Button'
import { Dialog } from '../ui/Dialog'
import { TagEditor } from './TagEditor'

interface TagDialogProps {
  assets: Asset[] | null
  onClose: () => void
  onSave: (add: string[], remove: string[]) => void
}

/** Adds tags to several assets and removes tags from them. */
export function TagDialog({ assets, onClose, onSave }: TagDialogProps) {
  return (
    <Dialog
      open={assets !== null}
      onOpenChange={(open) => !open && onClose()}
      title={libraryText.tagsOf(assets?.length ?? 0)}
      description={libraryText.tagsHelp}
    >
      {assets && <Form assets={assets} onClose={onClose} onSave={onSave} />}
    </Dialog>
  )
}

function Form({ assets, onClose, onSave }: { assets: Asset[] } & Pick<TagDialogProps, 'onClose' | 'onSave'>) {
  const [add, setAdd] = useState<string[]>([])
  const [remove, setRemove] = useState<string[]>([])
  const having = new Map<string, number>()
  for (const tag of assets.flatMap((a) => a.tags)) having.set(tag, (having.get(tag) ?? 0) + 1)
  const flip = (tag: string) => setRemove((r) => (r.includes(tag) ? r.filter((t) => t !== tag) : [...r, tag]))
  return (
    <div className="flex flex-col gap-4">
      <TagEditor
        label={libraryText.addToAll}
        tags={add}
        onAdd={(t) => setAdd([...add, t])}
        onRemove={(t) => setAdd(add.filter((o) => o !== t))}
      />
      {having.size > 0 && (
        <fieldset>
          <legend className="mb-1 text-xs font-medium text-muted">{libraryText.removeTags}</legend>
          <div className="flex flex-wrap gap-1">
            {[...having].map(([tag, n]) => (
              <button
                key={tag}
                type="button"
                aria-pressed={remove.includes(tag)}
                onClick={() => flip(tag)}
                className={`inline-flex h-7 items-center gap-1.5 rounded-md border px-2 text-xs ${remove.includes(tag) ? 'border-danger/40 bg-danger-soft text-danger' : 'border-line bg-raised hover:border-strong'}`}
              >
                {tag} <span className="text-faint">{n}</span>
              </button>
            ))}
          </div>
        </fieldset>
      )}
      <div className="mt-2 flex justify-end gap-2">
        <Button onClick={onClose}>{commonText.cancel}</Button>
        <Button variant="primary" disabled={add.length + remove.length === 0} onClick={() => onSave(add, remove)}>
          {libraryText.changeTags}
        </Button>
      </div>
    </div>
  )
}
