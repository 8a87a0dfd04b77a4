// What the two knobs of an analysis mean, in words. The numbers are those of the detector.

/** Pauses longer than cutOverMs are cut; airMs stays on each side. */
export function pauseRule(pacing: number): { cutOverMs: number; airMs: number } {
  const between = (from: number, to: number) => from * (to / from) ** (pacing / 100)
  return { cutOverMs: between(2500, 150), airMs: between(400, 40) }
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(ms < 1000 ? 2 : 1)} s`

export function pacingMeaning(pacing: number): string {
  const { cutOverMs, airMs } = pauseRule(pacing)
  return `Cuts pauses over ${seconds(cutOverMs)}, keeps ${seconds(airMs)} of air`
}

export function falseStartMeaning(sensitivity: number): string {
  if (sensitivity === 0) return 'Cuts only exact repeats of four or more words'
  if (sensitivity < 40) return 'Cuts clear repeats; the last take stays'
  if (sensitivity < 75) return 'Cuts repeats and restarted sentences; the last take stays'
  return 'Also cuts restarts after two similar words; the last take stays'
}

/** Steps of an analysis as the event stream names them, in order, with what a person reads. */
export const ANALYSIS_STEPS: readonly (readonly [name: string, label: string])[] = [
  ['extract_audio', 'Reading the sound'],
  ['detect_silences', 'Finding silences'],
  ['transcribe', 'Writing down every word'],
  ['detect_false_starts', 'Finding false starts'],
  ['generate_captions', 'Laying out caption lines'],
  ['place_assets', 'Placing assets'],
]

/** Where a step comes among those of an analysis; -1 for none of them. */
export const stepNumber = (step: string | null | undefined) => ANALYSIS_STEPS.findIndex(([name]) => name === step)

export const EXPORT_STEPS: Record<string, string> = { prepare: 'Preparing', render: 'Rendering', finalize: 'Finishing' }

/** Time left when `progress` percent took elapsedMs; null where it would be a guess. */
export function timeLeft(progress: number, elapsedMs: number): number | null {
  if (progress < 4 || elapsedMs < 3000) return null
  return (elapsedMs * (100 - progress)) / progress
}
