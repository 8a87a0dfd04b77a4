import { VolumeX } from 'lucide-react'
import type { CutOptions } from '../../api/analysis'
import { cutOptionsText as text } from '../../text/editor/cutOptions'
import { Choice } from '../../ui/Choice'
import { Switch } from '../../ui/Switch'
import { DETECTED_KINDS } from '../edits/kinds'
import { MORE_OPTIONS, SILENCE_OPTIONS, type CutOption } from '../edits/cutOptions'

interface CutOptionFieldsProps {
  value: CutOptions
  onChange: (value: CutOptions) => void
  /** Whether the motion of a clip, which tells demonstrations, is still being measured. */
  motionPending?: boolean
}

/** The choices about kinds of silence, the edges of cuts, and kinds that mute instead of cutting. */
export function CutOptionFields({ value, onChange, motionPending = false }: CutOptionFieldsProps) {
  const set = (change: Partial<CutOptions>) => onChange({ ...value, ...change })
  const field = (option: CutOption) => (
    <OptionField
      key={option.name}
      option={option}
      pending={motionPending && option.name === 'keep_demonstrations' ? text.keepDemonstrationsPending : undefined}
      value={value[option.name]}
      onChange={(chosen) => set({ [option.name]: chosen })}
    />
  )

  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col gap-3">
        <h3 className="text-xs font-medium text-faint">{text.silences}</h3>
        {SILENCE_OPTIONS.map(field)}
      </div>
      {MORE_OPTIONS.map(field)}
      <MuteKinds kinds={value.mute_kinds} onChange={(mute_kinds) => set({ mute_kinds })} />
    </div>
  )
}

interface OptionFieldProps {
  option: CutOption
  /** In place of the hint. */
  pending?: string | undefined
  value: unknown
  onChange: (value: boolean | string) => void
}

function OptionField({ option, pending, value, onChange }: OptionFieldProps) {
  const { label, hint, values } = option
  if (values.length === 0)
    return <Switch label={label} hint={pending ?? hint} checked={value === true} onChange={onChange} />
  const chosen = values.find(({ name }) => name === value) ?? values[0]
  return (
    <div>
      <Choice
        label={label}
        value={chosen?.name ?? ''}
        options={values.map((v) => ({ value: v.name, label: v.label }))}
        onChange={onChange}
      />
      <p className="mt-1 text-xs text-muted">{chosen?.hint}</p>
    </div>
  )
}

type DetectedKind = CutOptions['mute_kinds'][number]

function MuteKinds({ kinds, onChange }: { kinds: readonly DetectedKind[]; onChange: (kinds: DetectedKind[]) => void }) {
  const toggle = (name: DetectedKind) =>
    onChange(kinds.includes(name) ? kinds.filter((k) => k !== name) : [...kinds, name])

  return (
    <fieldset>
      <legend className="text-sm font-medium">{text.muteKinds}</legend>
      <p className="text-xs text-muted">{text.muteKindsHint}</p>
      <div className="mt-2 flex flex-wrap gap-1.5">
        {DETECTED_KINDS.map(({ name, labelPlural }) => {
          const on = kinds.includes(name)
          return (
            <button
              key={name}
              type="button"
              aria-pressed={on}
              onClick={() => toggle(name)}
              className={`inline-flex h-7 items-center gap-1.5 rounded-md border px-2 text-xs transition-colors ${on ? 'border-accent bg-accent-soft font-semibold text-accent' : 'border-line bg-raised text-muted hover:bg-hover hover:text-ink'}`}
            >
              {on && <VolumeX size={12} aria-hidden />}
              {labelPlural}
            </button>
          )
        })}
      </div>
    </fieldset>
  )
}
