import { number, plural } from './format'

const assets = (n: number) => plural(n, { one: '# asset', other: '# assets' })
/** The name of a single asset, or the number of assets. */
const nameOrCount = (names: readonly string[]) =>
  names.length === 1 && names[0] ? `“${names[0]}”` : assets(names.length)

export const libraryText = {
  library: 'Library',
  search: 'Search your library',
  dropInLibrary: 'Drop to add to the library',
  dropInGroup: (group: string) => `Drop to add to “${group}”`,
  allAssets: 'All assets',
  ungrouped: 'Ungrouped',
  grid: 'Assets',
  listFailed: 'Could not load your library',

  // Toolbar
  howToUse: (instructions: string) => `How to use them: ${instructions}`,
  fromLink: 'From a link',
  addFiles: 'Add files',
  filesToAdd: 'Files to add',
  kind: 'Kind',
  kinds: { all: 'All', image: 'Images', video: 'Videos', audio: 'Audio' },
  tag: 'Tag',
  removeTagFilter: (tag: string) => `Stop filtering by ${tag}`,
  groupActions: (group: string) => `Actions for the group ${group}`,
  editGroup: 'Edit group',
  deleteGroup: 'Delete group',

  // Empty states
  emptyTitle: 'Drop images, videos and audio here',
  emptyHelp: 'The library keeps logos, images, B-roll and music, so that you can use them in every project.',
  emptyGroupTitle: 'This group is empty',
  emptyGroupHelp: 'Drop files here, or drag assets from All assets onto the group.',
  nothingFound: 'No assets match. The search covers names and tags.',
  showAll: 'Show all',

  // Cards
  select: (name: string) => `Select ${name}`,
  actions: (name: string) => `Actions for ${name}`,
  processing: 'Processing…',
  creating: 'Creating…',
  unreadable: 'Cannot read this file',
  editFailed: 'The last edit failed',
  editFailedHelp: (reason: string) => `${reason} The asset is unchanged.`,
  preview: 'Preview',
  trim: 'Trim',
  extractAudio: 'Extract audio',
  tags: 'Tags',

  // Selection
  selection: 'Selection',
  clearSelection: 'Clear selection',
  selected: (n: number) => `${number(n)} selected`,
  selectAll: (n: number) => `Select all ${number(n)}`,
  addToGroup: 'Add to group',
  removeFromGroup: (group: string) => `Remove from “${group}”`,
  newGroupItem: 'New group…',

  // Preview
  previous: 'Previous',
  next: 'Next',
  stillProcessing: 'Processing. You can leave this page.',
  details: 'Asset details',
  groups: 'Groups',
  removeFrom: (group: string) => `Remove from ${group}`,
  download: 'Download',
  downloadFailed: 'The download failed',
  saveFailed: 'The change was not saved',
  kindOf: { image: 'Image', video: 'Video', audio: 'Audio' },
  added: (when: string) => `added ${when}`,

  // Groups
  groupsHelp: 'Use groups to organize logos, music or images. An asset can be in several groups.',
  defaultGroup: 'Default',
  defaultGroupTip: 'New assets join this group',
  pinned: 'Pinned',
  newGroup: 'New group',
  newGroupHelp: 'A group organizes related assets. An asset can be in several groups.',
  groupNamePlaceholder: 'City B-roll',
  description: 'Description',
  descriptionHelp: 'Describe the content. The search on the projects page includes this text.',
  instructions: 'How to use them',
  instructionsPlaceholder: 'Only during silence',
  instructionsHelp: 'The AI Director reads this when it places assets.',
  makeDefault: 'New assets join this group',
  makeDefaultHelp:
    'Assets that you add while another group is open join that group instead. Only one group can be the default.',
  pin: 'Pin to the top',
  createGroup: 'Create group',

  // Tags
  tagsOf: (n: number) => `Tags of ${assets(n)}`,
  tagsHelp: 'The search and the tag filter use tags.',
  addToAll: 'Add to all',
  removeTags: 'Remove',
  changeTags: 'Change tags',
  addTag: 'Add a tag',
  removeTag: (tag: string) => `Remove the tag ${tag}`,

  // Dialogs
  renameAsset: 'Rename asset',
  importTitle: 'Add from a link',
  importHelp:
    'Roughcut downloads the video or audio. Direct links to files always work. Links to video sites require yt-dlp on the server.',
  importAction: 'Add to library',
  importPlaceholder: 'https://example.org/city.mp4',
  confirmDelete: (names: readonly string[]) => `Delete ${nameOrCount(names)}?`,
  confirmDeleteHelp: (n: number) =>
    plural(n, {
      one: 'Roughcut deletes the asset from the server and from every project that uses it. Finished exports and your own copies do not change.',
      other:
        'Roughcut deletes the assets from the server and from every project that uses them. Finished exports and your own copies do not change.',
    }),
  confirmDeleteGroup: (name: string) => `Delete the group “${name}”?`,
  confirmDeleteGroupHelp: (n: number) =>
    `${n > 0 ? plural(n, { one: 'Its asset stays in the library.', other: 'Its # assets stay in the library.' }) : 'The group is empty.'} Roughcut deletes its description and instructions.`,

  // Results
  groupDeleted: (name: string) => `Deleted the group “${name}”; its assets stay in the library`,
  groupNotDeleted: 'The group was not deleted',
  deleted: (names: readonly string[]) => `Deleted ${nameOrCount(names)}`,
  notDeleted: (n: number) => `Could not delete ${assets(n)}`,
  tagged: (names: readonly string[]) => `Changed the tags of ${nameOrCount(names)}`,
  notTagged: (n: number) => `Could not change the tags of ${assets(n)}`,
  addedTo: (names: readonly string[], group: string) => `Added ${nameOrCount(names)} to “${group}”`,
  notAddedTo: (n: number) => `Could not add ${assets(n)} to the group`,
  removedFrom: (names: readonly string[], group: string) => `Removed ${nameOrCount(names)} from “${group}”`,
  notRemovedFrom: (n: number) => `Could not remove ${assets(n)} from the group`,
  extracting: (name: string) => `Extracting the audio of “${name}”`,
  notExtracted: 'The audio was not extracted',

  // Trimming
  trimTitle: (name: string) => `Trim “${name}”`,
  pause: 'Pause',
  playResult: 'Play result',
  startHere: 'Start here',
  endHere: 'End here',
  cutFromHere: 'Cut from here',
  cutToHere: 'Cut to here',
  newDuration: 'New duration',
  trimHelp:
    'Drag the handles, or play and press I (start), O (end) and C (cut). Press C twice to mark a cut. To remove a cut, press Delete on one of its handles.',
  cuts: 'Cuts',
  removeCut: (n: number) => `Remove cut ${n}`,
  cutStart: (n: number) => `Start of cut ${n}`,
  cutEnd: (n: number) => `End of cut ${n}`,
  start: 'Start',
  end: 'End',
  saveAs: 'Save as',
  saveModes: { copy: 'New asset', replace: 'Replace original' },
  audioOnly: 'Audio only',
  fast: 'Fast, without re-encoding',
  fastHelp: 'The start and cuts move to the nearest keyframe.',
  replaceHelp:
    'Replaces the asset in the library and in all projects that use it. You cannot restore the parts that you remove.',
  nothingRemoved: 'Nothing to save yet: remove a part first.',
  removed: (duration: string) => `${duration} removed`,
  removedWithCuts: (cuts: number, duration: string) =>
    `${plural(cuts, { one: '# cut', other: '# cuts' })}, ${duration} removed`,
  saveCopy: 'Save copy',
  replace: 'Replace',
  savingCopy: (name: string) => `Saving a copy of “${name}”`,
  replacing: (name: string) => `Replacing “${name}”`,
} as const
