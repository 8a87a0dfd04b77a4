// Texts of the list of cuts and of drafts.

import { duration, number, percent, plural } from '../format'

export const reviewText = {
  cuts: 'Cuts',
  noCuts:
    'These settings found nothing to cut. Raise the pacing to cut shorter pauses, or drag across the waveform to cut by hand.',
  allHidden: 'All kinds are hidden. Use the eye icons above to show them.',
  hint: { goThrough: 'go through', accept: 'accept', reject: 'reject' },
  kindTotal: (active: number, total: number, ms: number) =>
    `${number(active)} of ${number(total)}${active > 0 ? `, ${duration(ms)}` : ''}`,
  showKind: (kind: string) => `Show ${kind.toLowerCase()}`,
  hideKind: (kind: string) => `Hide ${kind.toLowerCase()}`,
  allOfKind: (kind: string) => `All ${kind.toLowerCase()}`,
  byTime: 'By time',
  byConfidence: 'Least certain first',
  cutAt: (kind: string, time: string) => `${kind} at ${time}`,
  before: 'Original',
  beforeHint: 'Play the original',
  after: 'With cut',
  afterHint: 'Play with the cut applied',
  remove: 'Remove this cut',
  confidence: 'Confidence of the analysis',
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
