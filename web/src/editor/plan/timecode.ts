// Timecodes: positions in project time as the timeline shows them. The format is the same in every locale.

/** A position: 0:07.50, 12:05.03, 1:02:03.40. Rounded down, so that the playhead has reached every time it shows. */
export function timecode(ms: number): string {
  const hundredths = Math.floor(Math.max(ms, 0) / 10)
  const s = Math.floor(hundredths / 100)
  const tail = `${pad(s % 60)}.${pad(hundredths % 100)}`
  const minutes = Math.floor(s / 60)
  return minutes < 60 ? `${minutes}:${tail}` : `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${tail}`
}

/** A ruler mark: a timecode without hundredths unless marks are less than a second apart. */
export function rulerMark(ms: number, stepMs: number): string {
  return stepMs < 1000 ? timecode(ms) : timecode(ms).slice(0, -3)
}

/** Reads a position such as 7.5, 0:07.50 or 1:02:03,4, in milliseconds; null for anything else. */
export function parseTimecode(typed: string): number | null {
  const match = /^(?:(?:(\d{1,3}):)?(\d{1,3}):)?(\d{1,6}(?:[.,]\d{1,3})?)$/.exec(typed.trim())
  if (!match) return null
  const [hours, minutes, seconds] = match.slice(1).map((part) => Number((part ?? '0').replace(',', '.')))
  return Math.round(((hours! * 60 + minutes!) * 60 + seconds!) * 1000)
}

const pad = (n: number) => String(n).padStart(2, '0')
