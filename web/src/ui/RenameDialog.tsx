import { commonText } from '../text/common'
import { Dialog } from './Dialog'
import { Field } from './Field'
import { FormActions } from './FormActions'
import { useSubmit } from './useSubmit'

interface RenameDialogProps {
  /** The present name, or null while the dialog is closed. */
  name: string | null
  /** The field of the name in errors of the server. */
  field: string
  title: string
  maxLength: number
  rename: (name: string) => Promise<void>
  onClose: () => void
}

export function RenameDialog({ name, field, title, maxLength, rename, onClose }: RenameDialogProps) {
  const form = useSubmit(async (v) => {
    await rename((v[field] ?? '').trim())
    onClose()
  })

  return (
    <Dialog open={name !== null} onOpenChange={(open) => !open && onClose()} title={title}>
      <form onSubmit={form.onSubmit} className="flex flex-col gap-4">
        <Field
          label={commonText.name}
          name={field}
          defaultValue={name ?? ''}
          required
          maxLength={maxLength}
          autoFocus
          error={form.fields[field] ?? form.message ?? undefined}
        />
        <FormActions action={commonText.rename} disabled={form.busy} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
