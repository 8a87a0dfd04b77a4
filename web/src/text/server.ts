import { plural } from './format'

export const serverText = {
  theStatus: 'the server status',
  status: 'Status',
  statusHelp: 'Updates every few seconds.',
  ready: 'Ready',
  notReady: 'Not ready',
  started: 'Started',
  workers: 'Workers',
  workerCount: (n: number) => plural(n, { one: '# job at a time', other: '# jobs at a time' }),
  searchIndex: 'Search index',
  searchStates: { ready: 'Up to date', behind: 'Updating', building: 'Rebuilding; search is not available yet' },
  accounts: 'Accounts',
  projects: 'Projects',
  queuedEmails: 'Queued emails',
  jobs: 'Jobs',
  kinds: {
    import: 'Imports',
    clip: 'Clip processing',
    analysis: 'Analyses',
    export: 'Exports',
    asset: 'Asset processing',
  },
  running: 'Running',
  waiting: 'Waiting',
  oldest: (when: string) => `Oldest waiting job: ${when}`,
  monitoring: 'Set {METRICS_ADDR} to expose Prometheus metrics. For health checks, use {healthz} and {readyz}.',

  disk: 'Disk',
  diskHelp: 'The storage that all accounts use, largest first.',
  theUsage: 'the disk usage',
  byAccount: 'Storage by account',
  account: 'Account',
  counted: 'Counts towards limit',
  allFiles: 'All files',
  pagedAccounts: 'accounts',
  diskFull: 'The disk is almost full',
  diskFullHelp: (free: string, reserve: string) =>
    `Roughcut rejects uploads because only ${free} are free and it reserves ${reserve}. Delete projects or exports, or add disk space.`,
  originals: 'Originals',
  generated: 'Generated files',
  exports: 'Exports',
  other: 'Models, uploads, database',
  free: (free: string) => `${free} free`,
  diskDetails: (models: string, uploads: string, database: string, reserve: string) =>
    `Models ${models}, unfinished uploads ${uploads}, database ${database}. Uploads keep ${reserve} free.`,

  encoder: 'Video encoder',
  encoderHelp:
    'Encodes proxies, and exports that change every frame. At start, Roughcut tests the hardware encoders that {ENCODER} allows.',
  encoderInUse: 'In use',
  softwareEncoder: 'x264 (software)',
  encoderPassed: 'Passed the self-test',

  versions: 'Versions',
} as const
