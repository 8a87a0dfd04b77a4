import { plural } from './format'

export const storageText = {
  theUsage: 'the storage usage',
  byType: 'Usage by type',
  byTypeHelp:
    'Roughcut never changes originals. Generated files, such as the proxies for editing, do not count towards the storage limit of originals.',
  recordings: 'Recordings',
  assets: 'Assets',
  originals: 'Originals',
  generated: 'Generated files',
  exports: 'Exports',
  counted: 'Counts towards your storage limit',
  countedHelp: 'The recordings and assets that you added.',
  countedGenerated: 'Generated files and exports',
  countedGeneratedHelp:
    'Files that Roughcut makes for you, with those in the trash. At the limit, delete exports or recordings and empty the trash.',
  used: (used: string, total: string) => `${used} of ${total}`,
  largest: 'Largest projects',
  largestHelp:
    'Projects, clips and exports in the trash use space until you delete them permanently, or until 30 days are over.',
  inTrash: 'In the trash',
  noProjects: 'You have no projects.',
  bySize: 'Projects by size',
  projectSummary: (clips: number, clipSize: string, generatedSize: string, exports: number, exportSize: string) =>
    [
      `${plural(clips, { one: '# clip', other: '# clips' })} (${clipSize})`,
      `generated files (${generatedSize})`,
      `${plural(exports, { one: '# export', other: '# exports' })} (${exportSize})`,
    ].join(', '),
  projects: 'projects',
} as const
