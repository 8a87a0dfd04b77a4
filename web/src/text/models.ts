import { duration } from './format'

interface ModelDescription {
  title: string
  description: string
}

/** Speech models by the size in their name. */
const SIZES: Record<string, ModelDescription> = {
  tiny: { title: 'Tiny', description: 'For a quick test; misses words' },
  base: { title: 'Base', description: 'For clear speech; fast on any computer' },
  small: { title: 'Small', description: 'Good for everyday recordings' },
  medium: { title: 'Medium', description: 'Handles accents and noise; slow without a powerful computer' },
  'large-v3-turbo': { title: 'Large turbo', description: 'Almost as accurate as Large and much faster' },
  'large-v3': { title: 'Large', description: 'Most accurate; slow without a powerful computer' },
}

export const modelsText = {
  pageTitle: 'Speech models',
  sizes: SIZES,
  /** The name of a model that no other model has. */
  title: (size: string, english: boolean, quantized = '') =>
    [size, english && 'English', quantized].filter(Boolean).join(', '),
  quantizedDescription: (description: string) => `${description}; smaller download`,
  addedByHand: 'Added from a file',

  // The models page
  theModels: 'the speech models',
  installed: 'Installed models',
  installedHelp: 'Speech models transcribe recordings on the computer that runs Roughcut. Recordings never leave it.',
  modelIsSet: 'The SPEECH_MODEL setting selects the model, so you cannot choose another one here.',
  chosenIsUsed: 'Roughcut uses the model that you chose.',
  largestUntilChosen: 'Roughcut uses the largest model until you choose another one.',
  largestIsUsed: 'Roughcut uses the largest model.',
  noneTitle: 'No speech model is installed',
  noneHelp:
    'Without a speech model, Roughcut finds only silences and repeated takes. It cannot make transcripts or captions, or find fillers.',
  noneAdmin: 'Download a model below, or choose a file that you have.',
  noneUser: 'Ask an admin of this server to download one.',
  chooseFile: 'Choose a file…',
  fileToAdd: 'Speech model to add',
  fileHelp:
    'A ggml Whisper model that you have as a file, such as ggml-base.en.bin. Roughcut checks the file before use.',
  notAModel: (file: string) => `${file} is not a speech model. Choose a ggml Whisper model, such as ggml-base.en.bin.`,
  adding: (file: string) => `Adding ${file}`,
  checking: 'Checking the file…',
  cancelAdding: 'Cancel',
  added: (model: string) => `${model} is installed`,
  available: 'Available models',
  availableHelp:
    'Larger models are more accurate and slower. Roughcut resumes interrupted downloads and verifies each file before use.',
  allInstalled: 'All available models are installed.',
  useLargest: 'Use largest',
  inUse: 'In use',
  recommended: 'Recommended',
  proposed: 'Suits this machine',
  perHour: (minutes: number) => `About ${duration(60_000 * Math.max(1, Math.round(minutes)))} per hour of speech`,
  onThisMachine: { fast: 'Fast on this machine', medium: 'Medium speed on this machine', slow: 'Slow on this machine' },
  accuracy: 'Accuracy',
  speed: 'Speed',
  rating: (value: number) => `${value} of 5`,
  received: (received: string, total: string) => `${received} of ${total}`,
  stoppedAt: (received: string, total: string) => `Stopped at ${received} of ${total}`,
  downloading: (model: string) => `Downloading ${model}`,
  nowUsed: (model: string) => `Roughcut now uses ${model}`,
  nowUsedHelp: 'Existing cuts do not change. To use the new model in a project, choose “Analyze again…”.',
  stop: 'Stop',
  stopDownload: (model: string) => `Stop downloading ${model}`,
  download: 'Download',
  downloadModel: (model: string) => `Download ${model}`,
  resume: 'Resume',
  use: 'Use',
  useModel: (model: string) => `Use ${model}`,
  deleteModel: (model: string) => `Delete ${model}`,
  confirmDelete: (model: string) => `Delete ${model}?`,
  deleteActive: (next: string | undefined) =>
    `This model is in use. Running analyses finish with it. Later analyses ${next ? `use ${next}` : 'find only silences and repeated takes, because no other model is installed'}.`,
  deleteOwn: 'To use the model again, you need its file. Transcripts that it made stay.',
  deleteHelp: 'You can download the model again. Transcripts that it made stay.',

  // The offer on the projects page
  setup: 'Speech model',
  setupHelp:
    'A speech model writes the transcript on the computer that runs Roughcut. Without a model, Roughcut finds only silences and repeated takes.',
  offer: (title: string, size: string, fits: boolean) => `${title}: ${size}${fits ? ', fits this machine' : ''}`,
  otherModels: 'Other models',
  setupFailed: (title: string, reason: string) => `The download of ${title} failed. ${reason}`,
  resumeDownload: 'Resume download',
  setupLoading: (title: string) => `Downloading ${title}. You can create a project and add your recording now.`,
  ready: 'The speech model is installed.',
} as const
