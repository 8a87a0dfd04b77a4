import type { AnalysisSettings } from './analysis'
import type { Asset, AssetFilter } from './assets'
import type { ExportSettings } from './exports'
import type { Hit, Sort } from './projects'
import type { TextReplacement } from './replace'

// The keys of all cached queries. A short key is a prefix: invalidating it also invalidates the longer keys that start with it.

export const queryKeys = {
  // Account
  session: ['session'],
  signInOptions: ['sign-in-options'],
  invitation: (token: string | undefined) => ['invitation', token],
  /** The answer to the token of a mailed link, by the page that sends it. */
  mailedToken: (page: 'confirm-email' | 'verify-email', token: string | undefined) => [page, token],
  tokens: ['tokens'],
  space: (page: number, pageSize: number) => ['space', page, pageSize],
  presets: ['presets'],
  previewPresets: ['preview-presets'],
  wordLists: ['word-lists'],
  models: ['models'],

  // Billing
  billing: ['billing'],
  prices: ['prices'],
  quote: (priceID: number) => ['quote', priceID],
  allMovements: ['movements'],
  movements: (page: number) => ['movements', page],
  allInvoices: ['invoices'],
  invoices: (page: number) => ['invoices', page],

  // Administration
  people: (q: string, page: number) => ['people', q, page],
  allPeople: ['people'],
  waiting: ['people', 'waiting'],
  invitations: ['invitations'],
  queuedMails: (page: number) => ['queued-mails', page],
  feedback: (page: number) => ['feedback', page],
  outbox: (page: number) => ['outbox', page],
  outboxMail: (name: string) => ['outbox-mail', name],
  serverStorage: (page: number) => ['server-storage', page],
  system: ['system'],

  // Library
  allAssets: ['assets'],
  assetPage: (filter: AssetFilter, page: number) => ['assets', filter, page],
  assetList: (filter: AssetFilter) => ['assets', filter, 'all'],
  assetTags: ['assets', 'tags'],
  assetCount: (group: 'none' | null) => ['assets', 'count', group],
  /** A replaced file gets another URL, so its size and duration are part of the key. */
  assetURL: (asset: Asset) => ['asset-url', asset.uuid, asset.size_bytes, asset.duration_ms],
  assetPeaks: (asset: Asset) => ['asset-peaks', asset.uuid, asset.size_bytes],
  groups: ['groups'],
  groupsOfAsset: (asset: string) => ['groups', asset],

  // Projects
  allProjects: ['projects'],
  projects: (q: string, sort: Sort) => ['projects', q, sort],
  projectNames: ['projects', 'names'],
  search: (kind: Hit['kind'], q: string) => ['search', kind, q],
  project: (project: string) => ['project', project],
  allClips: ['clips'],
  clips: (project: string) => ['clips', project],
  waveform: (clip: string) => ['waveform', clip],
  faces: (clip: string) => ['faces', clip],
  proxy: (clip: string) => ['proxy', clip],
  runs: (project: string) => ['runs', project],
  run: (project: string, run: string | null) => ['run', project, run],
  anyRun: (project: string) => ['run', project],
  allReplacedPlaces: (project: string) => ['replaced-places', project],
  replacedPlaces: (project: string, run: string | null, body: TextReplacement) => [
    'replaced-places',
    project,
    run,
    body,
  ],
  cost: (project: string) => ['cost', project],
  plannedEdits: (project: string, run: string, settings: AnalysisSettings) => ['plan', project, run, settings],
  edits: (project: string) => ['edits', project],
  history: (project: string) => ['history', project],
  takeGroups: (project: string) => ['take-groups', project],
  markers: (project: string) => ['markers', project],
  drafts: (project: string) => ['drafts', project],
  captionLines: (project: string, run: string | null) => ['caption-lines', project, run],
  allCaptionLines: (project: string) => ['caption-lines', project],
  exports: (project: string) => ['exports', project],
  trash: (project: string) => ['trash', project],
  exportEstimate: (project: string, settings: ExportSettings, version: string) => [
    'export-estimate',
    project,
    settings,
    version,
  ],
  exportFile: (exportID: string) => ['export-file', exportID],
} as const
