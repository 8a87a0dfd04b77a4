// Texts of the analysis: settings, progress, runs and the speech model.

import { bytes, number, percent, plural, roughDuration } from '../format'

const seconds = (ms: number) => `${(ms / 1000).toFixed(ms < 1000 ? 2 : 1)} s`

export const analysisText = {
  findCuts: 'Find cuts',
  findAgain: 'Analyze again…',
  findAgainTitle: 'Analyze again',
  findAgainDetail:
    'A new analysis replaces the proposed cuts. It keeps the cuts that you rejected, moved or added. Undo brings the current cuts back.',
  starting: 'Starting…',
  startFailed: 'Could not start the analysis',
  intro: 'Roughcut analyzes the recording and proposes cuts. You can change all settings later.',
  failed: 'The analysis failed',
  failedDetail: (reason: string | null) =>
    `${reason ?? 'It was interrupted.'} Your clips are unchanged, and no AI minutes were charged. Try again.`,
  tooFewMinutes: 'Not enough AI minutes',
  tooFewMinutesDetail: (needed: number, left: number) =>
    `This recording needs ${number(needed, 1)} AI minutes, and you have ${number(left, 1)}. Remove a clip, or ask the admin of this server for more.`,
  waitForModel: 'Waiting for the speech model…',
  findWithModel: 'Find cuts after the download',
  audioOnly: 'Analyze audio only',
  clipsProcessing: 'Starts when all clips are processed',
  addRecording: 'Add a recording first',
  model: (name: string) => `Speech model: ${name}`,
  multilingual: 'multilingual',
  english: 'English',
  models: 'Change model',

  /** The language of the transcript, with a doubt about it. */
  spoken: (language: string, doubt: 'unsure' | 'assumed' | 'unsupported' | null, model: string) => {
    if (doubt === 'unsure') return `${language}? The speech model is not sure`
    if (doubt === 'assumed') return `${language} only`
    return doubt === 'unsupported' ? `No words: ${model} does not know ${language}` : language
  },
  presetFact: (name: string) => `${name} preset`,
  noModel: 'no speech model',
  importedTranscript: 'your transcript',
  changeFacts: 'Change',
  noSuchWords: (language: string) => `No words in ${language}`,
  onlyEnglish: (model: string) => `${model} understands only English. Choose a multilingual model first.`,

  mainSettings: 'Main settings',
  preset: 'Preset',
  standardPreset: 'Standard',
  customPreset: 'Custom',
  language: 'Language',

  pacing: 'Pacing',
  pacingLow: 'Relaxed',
  pacingHigh: 'Tight',
  pacingMeaning: (cutOverMs: number, airMs: number) =>
    `Cuts pauses over ${seconds(cutOverMs)}, leaves ${seconds(airMs)} on each side`,
  falseStarts: 'False starts',
  falseStartsLow: 'Only clear ones',
  falseStartsHigh: 'Also likely ones',
  falseStartMeanings: {
    exact: 'Cuts only exact repeats of four or more words',
    clear: 'Cuts clear repeats, keeps the last take',
    restarts: 'Cuts repeats and restarted sentences, keeps the last take',
    loose: 'Also cuts restarts after two similar words, keeps the last take',
  },
  cutFillers: 'Cut fillers',
  cutFillersHint: 'Words such as “um”, and stutters. Without this option, they are listed but stay in the video.',
  moreChoices: (changed: number) => (changed > 0 ? `More choices (${number(changed)})` : 'More choices'),
  settingsLine: (pacing: number, falseStarts: number) => `Pacing ${pacing} · False starts ${falseStarts}`,
  changeLabel: 'change settings',

  clipsChanged: 'The clips or their audio have changed since the analysis.',
  noModelUsed: 'Audio-only analysis (no speech model installed). The “Transcript” tab explains how to add a model.',

  running: 'Finding cuts…',
  runningLabel: 'Finding cuts',
  percent: (value: number) => percent(value),
  timeLeft: (ms: number) => `About ${roughDuration(ms)} left`,
  canLeave: 'Processing. You can leave this page.',
  cancel: 'Cancel',
  waitsForClips: 'Starts when all clips are processed. You can leave this page.',
  readClips: 'Process the clips',
  queuedLabel: 'Queued analysis',
  startsAfterUpload: 'Roughcut finds the cuts when the upload is complete.',
  exportWhenDone: 'Export when analyzed',
  exportWhenDoneHint: 'Exports as soon as the cuts are found, as recorded.',
  exportNotCreated: 'Could not create the export',
  notify: 'Notify me',
  notifyOn: 'Notifications on',
  notifyBlocked: 'This browser blocks notifications from Roughcut. Allow them in its site settings.',
  cutsFound: (n: number) => plural(n, { one: '# cut found', other: '# cuts found' }),

  steps: {
    extract_audio: 'Extract audio',
    detect_silences: 'Find silences',
    transcribe: 'Transcribe',
    detect_false_starts: 'Find false starts',
    generate_captions: 'Create captions',
    place_assets: 'Place assets',
  },
  silencesSoFar: (n: number) =>
    n === 0 ? 'No silences found.' : plural(n, { one: '# silence found.', other: '# silences found.' }),
  provisional: 'The timeline and the player already skip them. The transcript can still change them.',

  compareRuns: 'Versions',
  runsDescription: 'Every analysis is kept. Your own cuts and placed assets are the same in all runs.',
  oneRun: 'There is one run so far. Analyze again with other settings to compare versions.',
  run: (n: number) => `Run ${number(n)}`,
  runSettings: (pacing: number, falseStarts: number, language: string | null) =>
    `Pacing ${pacing}, false starts ${falseStarts}${language ? `, ${language}` : ''}`,
  runCuts: (silences: number, falseStarts: number) =>
    `${plural(silences, { one: '# silence', other: '# silences' })}, ${plural(falseStarts, { one: '# false start', other: '# false starts' })}`,
  runRemoved: (time: string, part: number, whole: number) => `${time} removed, ${percent(part, whole)}`,
  inUse: 'Active',
  useRun: 'Use this run',
  runActivated: (n: number) => `Run ${number(n)} is active`,
  activateFailed: 'Could not activate the run',
  runStrip: (n: number, cuts: number | null) =>
    `Cuts of run ${number(n)}: ${cuts === null ? 'loading' : plural(cuts, { one: '# cut', other: '# cuts' })}`,

  addModel: 'Add a speech model',
  addModelDetail:
    'Without a speech model, the analysis finds only silences and repeated takes: no transcript, no fillers, no captions. The model runs on this server, and recordings stay on it.',
  askAdmin: 'Ask the admin of this server to add one.',
  downloadFailed: (model: string, reason: string) => `Could not download ${model}: ${reason}`,
  downloadModel: (model: string) => `Download ${model}`,
  resumeDownload: (model: string) => `Resume ${model}`,
  modelSize: (languages: string, size: number) => `${languages} · ${bytes(size)}`,
  downloading: (model: string) => `Downloading ${model}`,
  downloaded: (model: string, received: number, total: number) => `${model}: ${bytes(received)} of ${bytes(total)}`,
  stopDownload: 'Stop',
} as const
