import { VolumeX } from 'lucide-react'
import type { ReactNode } from 'react'
import type { CutOptions } from '../../api/analysis'
import { cutOptionsText as text } from '../../text/editor/cutOptions'
import { Choice } from '../../ui/Choice'
import { Switch } from '../../ui/Switch'
import { DETECTED_KINDS } from '../edits/kinds'

interface CutOptionFieldsProps {
  value: CutOptions
  onChange: (value: CutOptions) => void
  /** Whether the motion of a clip, which tells demonstrations, is still being measured. */
  motionPending?: boolean
}

const { keep, remove, shorten } = text
const BREATHS = [
  { value: 'remove', label: remove },
  { value: 'shorten', label: shorten },
  { value: 'keep', label: keep },
] as const
const BACKGROUND = [
  { value: 'remove', label: remove },
  { value: 'keep', label: keep },
] as const
const FAINT_SPEECH = [
  { value: 'keep', label: keep },
  { value: 'remove', label: remove },
] as const

/** The choices about kinds of silence, the edges of cuts, and kinds that mute instead of cutting. */
export function CutOptionFields({ value, onChange, motionPending }: CutOptionFieldsProps) {
  const set = (change: Partial<CutOptions>) => onChange({ ...value, ...change })
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col gap-3">
        <h3 className="text-xs font-medium text-faint">{text.silences}</h3>
        <Field hint={text.breathsHint[value.breaths]}>
          <Choice
            label={text.breaths}
            value={value.breaths}
            options={BREATHS}
            onChange={(breaths) => set({ breaths })}
          />
        </Field>
        <Field hint={text.backgroundHint[value.background]}>
          <Choice
            label={text.background}
            value={value.background}
            options={BACKGROUND}
            onChange={(background) => set({ background })}
          />
        </Field>
        <Field hint={text.faintSpeechHint[value.faint_speech]}>
          <Choice
            label={text.faintSpeech}
            value={value.faint_speech}
            options={FAINT_SPEECH}
            onChange={(faint_speech) => set({ faint_speech })}
          />
        </Field>
        <Switch
          label={text.keepDemonstrations}
          hint={motionPending ? text.keepDemonstrationsPending : text.keepDemonstrationsHint}
          checked={value.keep_demonstrations}
          onChange={(keep_demonstrations) => set({ keep_demonstrations })}
        />
      </div>
      <Switch
        label={text.exactEdges}
        hint={text.exactEdgesHint}
        checked={value.exact_edges}
        onChange={(exact_edges) => set({ exact_edges })}
      />
      <MuteKinds kinds={value.mute_kinds} onChange={(mute_kinds) => set({ mute_kinds })} />
    </div>
  )
}

function Field({ hint, children }: { hint: string; children: ReactNode }) {
  return (
    <div>
      {children}
      <p className="mt-1 text-xs text-muted">{hint}</p>
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
