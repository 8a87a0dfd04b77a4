import type { Asset } from '../api/assets'
import { useSubmit } from '../pages/useSubmit'
import { Button } from '../ui/Button'
import { Dialog } from '../ui/Dialog'
import { Field } from '../ui/Field'

interface RenameDialogProps {
  asset: Asset | null
  onClose: () => void
  rename: (asset: Asset, name: string) => Promise<void>
}

export function RenameDialog({ asset, onClose, rename }: RenameDialogProps) {
  const form = useSubmit(async (v) => {
    if (asset) await rename(asset, (v['display_name'] ?? '').trim())
    onClose()
  })
  return (
    <Dialog open={asset !== null} onOpenChange={(open) => !open && onClose()} title="Rename the asset">
      <form onSubmit={form.onSubmit} className="flex flex-col gap-4">
        <Field
          label="Name"
          name="display_name"
          defaultValue={asset?.display_name}
          required
          maxLength={255}
          autoFocus
          error={form.fields['display_name'] ?? form.message ?? undefined}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" disabled={form.busy}>
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
