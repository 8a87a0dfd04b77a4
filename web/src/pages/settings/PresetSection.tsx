import { useQuery, type UseQueryOptions } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { PresetRequests } from '../../api/presets'
import { commonText } from '../../text/common'
import { presetsText } from '../../text/presets'
import { Button } from '../../ui/Button'
import { Dialog } from '../../ui/Dialog'
import { Field } from '../../ui/Field'
import { FormActions } from '../../ui/FormActions'
import { Section } from '../../ui/Section'
import { useSubmit } from '../../ui/useSubmit'
import { Loaded } from './Page'
import { PresetRow, type PresetRowProps } from './PresetRow'
import { useServerChange } from './useServerChange'

/** The fields of a preset while they are edited. */
export interface PresetForm<Fields> {
  value: Fields
  set: (change: Partial<Fields>) => void
  /** The field for the name. */
  name: ReactNode
  /** Error messages by field name. */
  errors: Record<string, string>
}

interface Named {
  name: string
}

interface PresetKind<Fields extends Named, P extends Fields & { uuid: string }> {
  query: UseQueryOptions<P[], Error, P[], string[]> & { queryKey: string[] }
  requests: PresetRequests<Fields>
  text: Record<'title' | 'none' | 'list' | 'new' | 'edit' | 'namePlaceholder', string>
  help: string
  /** The maximum number of presets. */
  most?: number
  /** The fields of a new preset. */
  blank: Fields
  row: (preset: P) => Pick<PresetRowProps, 'summary' | 'before' | 'badge' | 'action'>
  /** Whether the editor is a wide dialog. */
  wide?: boolean
  form: (form: PresetForm<Fields>) => ReactNode
}

/** The list of the presets of one kind and their editor. */
export function PresetSection<Fields extends Named, P extends Fields & { uuid: string }>(kind: PresetKind<Fields, P>) {
  const { query, requests, text, help, most, row } = kind
  const presets = useQuery(query)
  const [edited, setEdited] = useState<P | 'new' | null>(null)
  const remove = useServerChange(requests.remove, [query.queryKey])
  const full = most !== undefined && (presets.data?.length ?? 0) >= most
  return (
    <Section
      title={text.title}
      description={help}
      action={
        <Button
          disabled={full || (most !== undefined && presets.data === undefined)}
          title={full ? presetsText.limitReached : undefined}
          onClick={() => setEdited('new')}
        >
          <Plus size={14} aria-hidden /> {presetsText.newPreset}
        </Button>
      }
    >
      <Loaded query={presets} what={presetsText.thePresets}>
        {(all) =>
          all.length === 0 ? (
            <p className="text-sm text-muted">{text.none}</p>
          ) : (
            <ul aria-label={text.list} className="divide-y divide-line">
              {all.map((p) => (
                <PresetRow
                  key={p.uuid}
                  name={p.name}
                  {...row(p)}
                  onEdit={() => setEdited(p)}
                  onDelete={() => remove.mutate(p.uuid)}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {edited && <Editor {...kind} preset={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
    </Section>
  )
}

function Editor<Fields extends Named, P extends Fields & { uuid: string }>({
  query,
  requests,
  text,
  blank,
  wide = false,
  form: fieldsOf,
  preset,
  onClose,
}: PresetKind<Fields, P> & { preset: P | null; onClose: () => void }) {
  const [value, setValue] = useState<Fields>(() => (preset ? pickFields(preset, blank) : blank))
  const set = (change: Partial<Fields>) => setValue((v) => ({ ...v, ...change }))
  const save = useServerChange(
    (fields: Fields) => (preset ? requests.update(preset.uuid, fields) : requests.create(fields)),
    [query.queryKey],
    onClose,
    true,
  )

  const form = useSubmit(async () => {
    await save.mutateAsync({ ...value, name: value.name.trim() })
  })

  const name = (
    <Field
      label={commonText.name}
      name="name"
      value={value.name}
      onChange={(e) => setValue((v) => ({ ...v, name: e.target.value }))}
      required
      maxLength={100}
      autoFocus
      autoComplete="off"
      placeholder={text.namePlaceholder}
      error={form.fields['name'] ?? form.message ?? undefined}
    />
  )

  return (
    <Dialog wide={wide} open onOpenChange={(open) => !open && onClose()} title={preset ? text.edit : text.new}>
      <form onSubmit={form.onSubmit} className={`flex flex-col ${wide ? 'gap-6' : 'gap-5'}`}>
        {fieldsOf({ value, set, name, errors: form.fields })}
        <FormActions action={preset ? commonText.save : presetsText.create} disabled={form.busy} onCancel={onClose} />
      </form>
    </Dialog>
  )
}

// pickFields returns the fields of a preset that a new one has.
const pickFields = <Fields extends Named>(preset: Fields, blank: Fields): Fields =>
  Object.fromEntries(Object.keys(blank).map((name) => [name, preset[name as keyof Fields]])) as unknown as Fields
