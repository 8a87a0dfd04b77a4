// How times, sizes and counts are written, everywhere alike.

/** A place in time: 0:07.50, 12:05.03, 1:02:03.40. Rounded down, so that a place is never shown before it is reached. */
export function formatTime(ms: number): string {
  const hundredths = Math.floor(Math.max(ms, 0) / 10)
  const s = Math.floor(hundredths / 100)
  const tail = `${pad(s % 60)}.${pad(hundredths % 100)}`
  const minutes = Math.floor(s / 60)
  return minutes < 60 ? `${minutes}:${tail}` : `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${tail}`
}

/** A mark on a ruler: as formatTime, without hundredths unless the step is below a second. */
export function formatMark(ms: number, stepMs: number): string {
  return stepMs < 1000 ? formatTime(ms) : formatTime(ms).slice(0, -3)
}

/** A length that is only guessed at: 20 s, 3 min 20 s. */
export function formatRoughly(ms: number): string {
  const s = Math.max(Math.round(ms / 1000), 1)
  return s < 60 ? `${s} s` : formatLength(s * 1000)
}

/** A length: 0.84 s, 12.5 s, 3 min 20 s, 1 h 5 min. */
export function formatLength(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(2)} s`
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  const s = Math.round(ms / 1000)
  if (s < 3600) return s % 60 ? `${Math.floor(s / 60)} min ${s % 60} s` : `${s / 60} min`
  const minutes = Math.round(s / 60)
  return minutes % 60 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min` : `${minutes / 60} h`
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB']

/** A size in binary units, as plans are counted: 512 B, 3.4 MB. */
export function formatSize(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1024
    unit++
  }
  return `${unit === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`
}

/** A count with its noun: 1 cut, 2 cuts. */
export const count = (n: number, one: string, many = one + 's') => `${n.toLocaleString('en')} ${n === 1 ? one : many}`

/** A part of a whole as a percentage without decimals; 0 for nothing of nothing. */
export const percent = (part: number, whole: number) => (whole > 0 ? Math.round((100 * part) / whole) : 0)

/** When something was made: "just now", "5 min ago", "yesterday", a date. */
export function formatAge(iso: string, now = Date.now()): string {
  const minutes = Math.round((now - Date.parse(iso)) / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes} min ago`
  const hours = Math.round(minutes / 60)
  if (hours < 24) return `${hours} h ago`
  const days = Math.round(hours / 24)
  if (days < 2) return 'yesterday'
  if (days < 30) return `${days} days ago`
  return new Date(iso).toLocaleDateString('en', { year: 'numeric', month: 'short', day: 'numeric' })
}

const pad = (n: number) => String(n).padStart(2, '0')
