import { useState } from 'react'
import { createGroup, updateGroup, type Group } from '../api/groups'
import { useSubmit } from '../ui/useSubmit'
import { commonText } from '../text/common'
import { libraryText } from '../text/library'
import { Dialog } from '../ui/Dialog'
import { Field } from '../ui/Field'
import { FormActions } from '../ui/FormActions'
import { Switch } from '../ui/Switch'
import { TextArea } from '../ui/TextArea'
import { useRefreshLibrary } from './useAssets'

interface GroupDialogProps {
  /** The group to edit, "new" to create one, or null while the dialog is closed. */
  group: Group | 'new' | null
  onClose: () => void
  onSaved: (group: Group) => void
}

/** Creates or edits a group. */
export function GroupDialog({ group, onClose, onSaved }: GroupDialogProps) {
  return (
    <Dialog
      open={group !== null}
      onOpenChange={(open) => !open && onClose()}
      title={group === 'new' ? libraryText.newGroup : libraryText.editGroup}
      description={group === 'new' ? libraryText.newGroupHelp : undefined}
    >
      {group && (
        <Form
          key={group === 'new' ? '' : group.uuid}
          group={group === 'new' ? null : group}
          onClose={onClose}
          onSaved={onSaved}
        />
      )}
    </Dialog>
  )
}

function Form({
  group,
  onClose,
  onSaved,
}: {
  group: Group | null
  onClose: () => void
  onSaved: (group: Group) => void
}) {
  const refresh = useRefreshLibrary()
  const [isDefault, setDefault] = useState(group?.is_default ?? false)
  const [isPinned, setPinned] = useState(group?.is_pinned ?? false)
  const form = useSubmit(async (v) => {
    const fields = {
      name: (v['name'] ?? '').trim(),
      description: (v['description'] ?? '').trim(),
      default_instructions: (v['default_instructions'] ?? '').trim(),
      is_default: isDefault,
      is_pinned: isPinned,
    }

    const saved = await (group ? updateGroup(group.uuid, fields) : createGroup(fields))
    await refresh()
    onSaved(saved)
  })

  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-4">
      <Field
        label={commonText.name}
        name="name"
        defaultValue={group?.name}
        placeholder={libraryText.groupNamePlaceholder}
        required
        maxLength={100}
        autoFocus
        error={form.fields['name'] ?? form.message ?? undefined}
      />
      <Field
        label={libraryText.description}
        name="description"
        defaultValue={group?.description}
        maxLength={1000}
        hint={libraryText.descriptionHelp}
        error={form.fields['description']}
      />
      <TextArea
        label={libraryText.instructions}
        name="default_instructions"
        defaultValue={group?.default_instructions}
        maxLength={4000}
        placeholder={libraryText.instructionsPlaceholder}
        hint={libraryText.instructionsHelp}
        error={form.fields['default_instructions']}
      />
      <Switch
        label={libraryText.makeDefault}
        hint={libraryText.makeDefaultHelp}
        checked={isDefault}
        onChange={setDefault}
      />
      <Switch label={libraryText.pin} checked={isPinned} onChange={setPinned} />
      <FormActions action={group ? commonText.save : libraryText.createGroup} disabled={form.busy} onCancel={onClose} />
    </form>
  )
}
