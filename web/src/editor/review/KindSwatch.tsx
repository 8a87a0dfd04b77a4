import { VolumeX } from 'lucide-react'
import type { EditType } from '../../api/edits'
import { kindColor, kindOf, type KindPattern } from '../edits/kinds'

const PATTERN_CLASSES: Record<KindPattern, string> = {
  stripes: 'pattern-stripes',
  lattice: 'pattern-lattice',
  dots: 'pattern-dots',
  lines: 'pattern-lines',
  none: 'pattern-none',
}

/** The color and pattern of a kind of cut; a mute has a loudspeaker instead of the pattern. */
export function KindSwatch({ kind, off, mute }: { kind: EditType; off?: boolean; mute?: boolean }) {
  if (mute && !off)
    return (
      <span
        aria-hidden
        style={kindColor(kind)}
        className="inline-flex size-4 shrink-0 items-center justify-center rounded-sm border border-(--kind) text-(--kind)"
      >
        <VolumeX size={11} strokeWidth={2.4} />
      </span>
    )
  return (
    <span
      aria-hidden
      style={kindColor(kind)}
      className={`${PATTERN_CLASSES[kindOf(kind).pattern]} inline-block size-4 shrink-0 rounded-sm ${off ? 'border border-dashed border-(--kind)' : 'swatch'}`}
    />
  )
}
