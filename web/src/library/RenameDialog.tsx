import type { Asset } from '../api/assets'
import { useSubmit } from '../pages/useSubmit'
import { commonText } from '../text/common'
import { libraryText } from '../text/library'
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
    <Dialog open={asset !== null} onOpenChange={(open) => !open && onClose()} title={libraryText.renameAsset}>
      <form onSubmit={form.onSubmit} className="flex flex-col gap-4">
        <Field
          label={commonText.name}
          name="display_name"
          defaultValue={asset?.display_name}
          required
          maxLength={255}
          autoFocus
          error={form.fields['display_name'] ?? form.message ?? undefined}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{commonText.cancel}</Button>
          <Button variant="primary" type="submit" disabled={form.busy}>
            {commonText.rename}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
