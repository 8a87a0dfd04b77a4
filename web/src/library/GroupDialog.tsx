import { useState } from 'react'
import { createGroup, updateGroup, type Group } from '../api/groups'
import { useSubmit } from '../pages/useSubmit'
import { Button } from '../ui/Button'
import { Dialog } from '../ui/Dialog'
import { Field } from '../ui/Field'
import { Switch } from '../ui/Switch'
import { TextArea } from '../ui/TextArea'
import { useRefreshLibrary } from './useAssets'

interface GroupDialogProps {
  /** The group to change, "new" for one to make, null while the dialog is closed. */
  group: Group | 'new' | null
  onClose: () => void
  onSaved: (group: Group) => void
}

/** Makes a group, or changes what is written about one. */
export function GroupDialog({ group, onClose, onSaved }: GroupDialogProps) {
  return (
    <Dialog
      open={group !== null}
      onOpenChange={(open) => !open && onClose()}
      title={group === 'new' ? 'New group' : 'Change the group'}
      description={
        group === 'new' ? 'A group keeps together what belongs together. An asset can be in several.' : undefined
      }
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
    const written = {
      name: (v['name'] ?? '').trim(),
      description: (v['description'] ?? '').trim(),
      default_instructions: (v['default_instructions'] ?? '').trim(),
      is_default: isDefault,
      is_pinned: isPinned,
    }
    const saved = await (group ? updateGroup(group.uuid, written) : createGroup(written))
    await refresh()
    onSaved(saved)
  })
  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-4">
      <Field
        label="Name"
        name="name"
        defaultValue={group?.name}
        placeholder="B-roll of the city"
        required
        maxLength={100}
        autoFocus
        error={form.fields['name'] ?? form.message ?? undefined}
      />
      <Field
        label="Description"
        name="description"
        defaultValue={group?.description}
        maxLength={1000}
        hint="What is in it. The search of the projects page looks here too."
        error={form.fields['description']}
      />
      <TextArea
        label="How to use them"
        name="default_instructions"
        defaultValue={group?.default_instructions}
        maxLength={4000}
        placeholder="Only where nobody is speaking"
        hint="Read when assets are placed for you."
        error={form.fields['default_instructions']}
      />
      <Switch
        label="New assets join this group"
        hint="Unless they are added while another group is open. One group at most does this."
        checked={isDefault}
        onChange={setDefault}
      />
      <Switch label="Keep it at the top" checked={isPinned} onChange={setPinned} />
      <div className="mt-2 flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button variant="primary" type="submit" disabled={form.busy}>
          {group ? 'Save' : 'Make group'}
        </Button>
      </div>
    </form>
  )
}
