import type { CSSProperties } from 'react'
import { bytes } from '../../text/format'

interface StoragePart {
  name: string
  bytes: number
  style: keyof typeof STYLES
}

/** Colors and patterns of the parts, borrowed from the kinds of cuts. */
const STYLES = {
  originals: { className: 'pattern-stripes', color: 'var(--silence)' },
  generated: { className: 'pattern-lattice', color: 'var(--false-start)' },
  assets: { className: 'pattern-dots', color: 'var(--filler)' },
  exports: { className: 'pattern-lines', color: 'var(--manual)' },
}

const colorOf = (part: StoragePart) => ({ '--kind': STYLES[part.style].color }) as CSSProperties

/** A stacked bar whose parts differ in color and pattern, with a legend. */
export function StorageBar({ parts }: { parts: readonly StoragePart[] }) {
  const total = parts.reduce((sum, k) => sum + k.bytes, 0)
  return (
    <div>
      <p className="mb-2 text-lg font-semibold tracking-tight">{bytes(total)}</p>
      <div className="flex h-3 gap-0.5 overflow-hidden rounded-full bg-hover" aria-hidden>
        {parts
          .filter((k) => k.bytes > 0)
          .map((k) => (
            <span
              key={k.name}
              className={`${STYLES[k.style].className} swatch min-w-1`}
              style={{ ...colorOf(k), width: `${(100 * k.bytes) / total}%` }}
            />
          ))}
      </div>
      <dl className="mt-3 grid grid-cols-2 gap-x-6 gap-y-2 text-sm lg:grid-cols-4">
        {parts.map((k) => (
          <div key={k.name} className="relative pl-5">
            <dt className="text-xs text-muted">
              <span
                className={`${STYLES[k.style].className} swatch absolute top-0.5 left-0 size-3 rounded-sm`}
                style={colorOf(k)}
                aria-hidden
              />
              {k.name}
            </dt>
            <dd className="font-medium">{bytes(k.bytes)}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
