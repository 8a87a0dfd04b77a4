/** The volume of an audio file over time, in absolute terms: a quiet file has low bars. Bars range from 0 to 255. */
export function AudioOutline({ bars, className }: { bars: number[]; className: string }) {
  const half = (bar: number) => Math.max(1, (bar / 255) * 40)
  return (
    <svg
      viewBox={`0 0 ${bars.length * 3 - 1} 100`}
      preserveAspectRatio="none"
      className={className}
      data-outline
      aria-hidden
    >
      <path
        d={bars.map((bar, i) => `M${i * 3 + 1} ${50 - half(bar)}v${2 * half(bar)}`).join('')}
        stroke="currentColor"
        strokeWidth="2"
      />
    </svg>
  )
}
