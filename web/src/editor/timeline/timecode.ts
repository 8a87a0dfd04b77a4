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

const pad = (n: number) => String(n).padStart(2, '0')
