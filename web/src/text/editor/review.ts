// Texts of the list of cuts and of drafts.

import { duration, number, percent, plural } from '../format'

export const reviewText = {
  cuts: 'Cuts',
  noCuts:
    'These settings found nothing to cut. Raise the pacing to cut shorter pauses, or drag across the waveform to cut by hand.',
  allHidden: 'All kinds are hidden. Use the eye icons above to show them.',
  hint: { goThrough: 'go through', accept: 'accept', reject: 'reject', keep: 'keep', play: 'play' },
  kindTotal: (active: number, total: number, ms: number, muted: number) =>
    `${number(active)} of ${number(total)}${active > 0 ? `, ${duration(ms)}` : ''}${muted > 0 ? `, ${number(muted)} muted` : ''}`,
  muteKind: (kind: string) => `Mute ${kind.toLowerCase()} instead of cutting them`,
  cutKind: (kind: string) => `Cut ${kind.toLowerCase()} instead of muting them`,
  showKind: (kind: string) => `Show ${kind.toLowerCase()}`,
  hideKind: (kind: string) => `Hide ${kind.toLowerCase()}`,
  allOfKind: (kind: string) => `All ${kind.toLowerCase()}`,
  review: 'Review',
  reviewLabel: 'Cuts to review',
  reviewAll: 'All',
  below: (limit: number) => `< ${percent(limit, 1)}`,
  belowCount: (limit: number, cuts: number) =>
    `${plural(cuts, { one: '# cut', other: '# cuts' })} with a confidence below ${percent(limit, 1)}`,
  noneBelow: (limit: number) => `No cut has a confidence below ${percent(limit, 1)}. Choose “All” to see every cut.`,
  count: (n: number) => number(n),
  position: (n: number, total: number) => `${number(n)} of ${number(total)}`,
  byTime: 'By time',
  byConfidence: 'Least certain first',
  cutAt: (kind: string, time: string) => `${kind} at ${time}`,
  before: 'Original',
  beforeHint: 'Play the original',
  after: 'With cut',
  afterHint: 'Play with the cut applied',
  takes: (takes: number) => `${number(takes)} takes of one sentence`,
  take: (n: number) => `Take ${number(n)}`,
  takeOf: (n: number, takes: number) => `take ${number(n)} of ${number(takes)}`,
  playTake: (n: number) => `Play take ${number(n)}`,
  proposed: 'Proposed',
  takeFacts: (length: string, levelDB: number) => `${length} · ${number(levelDB)} dB`.replace('-', '−'),
  takeWithoutText: (time: string) => `At ${time}`,
  takeQuality: ({ complete, fluent }: { complete: boolean; fluent: boolean }) =>
    `${complete ? 'Complete' : 'Incomplete'}, ${fluent ? 'fluent' : 'not fluent'}`,
  aborts: (n: number, text: string) => `Breaks off. Take ${number(n)} completes it${text ? `: “${text}”` : '.'}`,

  muted: 'Muted',
  mutedHint: 'Play with the audio muted',
  muteInstead: 'Mute instead of cut',
  cutInstead: 'Cut instead of mute',
  menu: 'Cut',
  accept: 'Accept',
  reject: 'Reject',
  remove: 'Remove this cut',
  confidenceMeaning: (value: number) =>
    `Confidence of the analysis: about ${number(value * 100)} of 100 such cuts are right.`,
  confidenceValue: (value: number) => percent(value, 1),
  confident: 'confidence',

  drafts: 'Drafts',
  savedDrafts: 'Saved drafts',
  draftName: 'Draft name',
  defaultDraftName: (n: number) => `Draft ${n}`,
  saveDraft: 'Save',
  draftSaved: (name: string) => `Saved “${name}”`,
  draftSaveFailed: 'Could not save the draft',
  draftsLoadFailed: (reason: string) => `Could not load the drafts. ${reason}`,
  noDrafts:
    'A draft stores which cuts are active and where they start and end. Save a draft before you try something else.',
  applyDraft: 'Apply',
  applyLabel: (name: string) => `apply “${name}”`,
  draftApplied: (name: string) => `Applied “${name}”`,
  draftNewer: (edits: number) =>
    plural(edits, { one: '# newer edit was switched off.', other: '# newer edits were switched off.' }),
  draftGone: (edits: number) =>
    plural(edits, { one: '# edit of the draft no longer exists.', other: '# edits of the draft no longer exist.' }),
  draftUndo: 'Undo restores your previous edits.',
  renameDraft: (name: string) => `Rename ${name}`,
  newDraftName: (name: string) => `New name for ${name}`,
  draftRenameFailed: 'Could not rename the draft',
  deleteDraft: (name: string) => `Delete ${name}`,
  draftDeleteFailed: 'Could not delete the draft',
} as const
