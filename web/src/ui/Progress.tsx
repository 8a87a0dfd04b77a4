import { Progress as Radix } from 'radix-ui'
import { twMerge } from 'tailwind-merge'

/** A progress bar from 0 to 100; null means that the progress is unknown. */
export function Progress({ value, label, className }: { value: number | null; label: string; className?: string }) {
  return (
    <Radix.Root
      value={value}
      aria-label={label}
      className={twMerge('h-1 overflow-hidden rounded-full bg-hover forced-colors:border', className)}
    >
      <Radix.Indicator
        className={`h-full rounded-full bg-accent forced-color-adjust-none transition-[width] forced-colors:bg-[Highlight] duration-150 ${value === null ? 'skeleton w-full opacity-60' : ''}`}
        style={value === null ? undefined : { width: `${value}%` }}
      />
    </Radix.Root>
  )
}
