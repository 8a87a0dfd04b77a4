import { number, plural } from './format'

const moments = (n: number) => plural(n, { one: '# moment', other: '# moments' })

export const projectsText = {
  projects: 'Projects',
  search: 'Search projects and transcripts',
  drop: 'Drop to create a project',
  listFailed: 'Could not load your projects',
  matchingProjects: 'Matching projects',
  noMatches: (q: string) => `No project name contains “${q}”.`,
  sortBy: 'Sort by',
  sorts: {
    newest: 'Newest first',
    oldest: 'Oldest first',
    changed: 'Last changed',
    name: 'Name, A–Z',
    longest: 'Longest first',
  },
  newProject: 'New project',
  chooseFiles: 'Choose files',
  showMore: 'Show more',

  // Welcome page
  welcome: 'Drop a recording',
  welcomeHelp:
    'Roughcut finds the cuts, you review them, and export. Recordings stay on the computer that runs Roughcut, and originals never change.',

  // New project
  projectPurpose: 'A project holds one video, made from one or several recordings.',
  withFiles: (n: number) =>
    plural(n, { one: 'Roughcut adds # file to the project.', other: 'Roughcut adds # files to the project.' }),
  withPaths: (n: number) =>
    plural(n, {
      one: 'Roughcut adds # linked file to the project.',
      other: 'Roughcut adds # linked files to the project.',
    }),
  withLink: 'Roughcut downloads the recording from the link.',
  namePlaceholder: 'Talk about autumn gardens',
  createProject: 'Create project',
  untitled: 'Untitled',
  createFailedFor: (names: readonly string[]) =>
    names.length === 1
      ? `Could not create the project “${names[0]}”`
      : `Could not create ${number(names.length)} projects: ${names.map((name) => `“${name}”`).join(', ')}`,
  linkNotAdded: 'The recording at the link was not added',

  // Received recordings
  several: (n: number) => plural(n, { one: '# recording', other: '# recordings' }),
  severalNames: (names: readonly string[], all: number) =>
    names.join(', ') + (all > names.length ? ` and ${number(all - names.length)} more` : ''),
  severalAs: {
    here: () => 'Add to this project',
    one: (n: number) => (n === 1 ? 'New project' : 'One video'),
    each: () => 'One project each',
  },
  severalHelp: {
    here: (n: number) =>
      plural(n, {
        one: 'The recording becomes the last clip of the open project.',
        other: 'The # recordings become the last clips of the open project, in this order.',
      }),
    one: (n: number) =>
      plural(n, {
        one: 'Roughcut creates a project named after the recording and opens it.',
        other: 'The # recordings become the clips of one new project, in this order.',
      }),
    each: (n: number) => `Roughcut creates ${number(n)} projects, each named after its recording.`,
  },

  // Cards
  status: {
    created: 'Not analyzed',
    analyzing: 'Finding cuts…',
    analyzed: 'Nothing to review',
    failed: 'Analysis failed',
  },
  noClips: 'No clips',
  readingClips: 'Reading clips…',
  findingCutsIn: (project: string) => `Finding cuts in ${project}`,
  toReview: (n: number) => `${number(n)} to review`,
  exports: (n: number) => plural(n, { one: '# export', other: '# exports' }),
  clips: (n: number) => plural(n, { one: '# clip', other: '# clips' }),
  actions: (project: string) => `Actions for ${project}`,
  rename: 'Rename project',
  duplicate: 'Duplicate',
  duplicated: (copy: string) => `Created “${copy}”`,
  duplicatedHelp: 'Both projects share their recordings, which use storage once.',
  moveToTrash: 'Move to trash',
  trashed: (project: string) => `“${project}” is in the trash`,
  trashedHelp: 'It can be restored for 30 days.',
  undo: 'Undo',
  confirmDelete: (project: string) => `Delete “${project}”?`,
  confirmDeleteHelp: (clips: number) =>
    plural(clips, {
      one: 'Roughcut permanently deletes its # clip, cuts and exports from the server. Your own copies of the recordings do not change.',
      other:
        'Roughcut permanently deletes its # clips, cuts and exports from the server. Your own copies of the recordings do not change.',
    }),
  deleted: (project: string) => `Deleted “${project}”`,

  // Trash
  trash: 'Trash',
  trashCount: (n: number) => plural(n, { one: '# project in the trash', other: '# projects in the trash' }),
  trashHelp: 'Projects in the trash use storage until they are deleted.',
  keptUntil: (day: string) => `Kept until ${day}`,
  restore: 'Restore',
  restoreNamed: (project: string) => `Restore ${project}`,
  restored: (project: string) => `“${project}” is back`,
  deleteNamed: (project: string) => `Delete permanently: ${project}`,

  // Search results
  transcripts: 'Transcripts',
  found: (n: number, projects: number) =>
    `${moments(n)} in ${plural(projects, { one: '# project', other: '# projects' })}`,
  moments,
  noTranscripts: (q: string) => `No transcript contains “${q}”. Transcripts require a speech model.`,
  showMoreMoments: (n: number) => plural(n, { one: 'Show # more moment', other: 'Show # more moments' }),
  inLibrary: 'Library',
  moreAssets: (n: number) =>
    plural(n, {
      one: '# more asset matches. Search the library to see it.',
      other: '# more assets match. Search the library to see them.',
    }),

  // The project page
  gone: 'Project not found',
  openFailed: 'Could not open this project',
  opening: 'Opening the project',
} as const
