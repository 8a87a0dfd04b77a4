// Speakers of caption lines, as values.

import type { CaptionLine } from '../../api/captions'
import type { TimedText } from '../plan/captionTiming'

/** A word with its speaker. */
export type SpokenWord = TimedText & { speaker?: string }

/** The speakers of the words and of the lines, each once, by name. */
export function knownSpeakers(lines: readonly CaptionLine[], words: readonly SpokenWord[]): string[] {
  const names = new Set<string>()
  for (const { speaker } of [...words, ...lines]) if (speaker) names.add(speaker)
  return [...names].sort((a, b) => a.localeCompare(b))
}

/** The speaker who says most of the words of a line, by time; empty if unknown. */
export function speakerOf(line: Pick<CaptionLine, 'start_ms' | 'end_ms'>, words: readonly SpokenWord[]): string {
  const shares = new Map<string, number>()
  for (const { start_ms, end_ms, speaker = '' } of words) {
    const middle = (start_ms + end_ms) / 2
    if (middle >= line.start_ms && middle < line.end_ms)
      shares.set(speaker, (shares.get(speaker) ?? 0) + end_ms - start_ms)
  }

  let [most, best] = [0, '']
  for (const [speaker, ms] of shares) if (ms > most) [most, best] = [ms, speaker]
  return best
}
