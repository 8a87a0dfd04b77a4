// Texts of the trash of a project.

import { plural } from '../format'

export const trashText = {
  trash: (n: number) => plural(n, { one: '# item in the trash', other: '# items in the trash' }),
  list: 'Trash',
  kinds: { clip: 'Clip', export: 'Export' },
  detail: (kind: string, size: string, day: string) => `${kind}, ${size}, kept until ${day}`,
  deleted: (name: string) => `${name} is in the trash`,
  deletedClips: (n: number) => plural(n, { one: '# clip is in the trash', other: '# clips are in the trash' }),
  undo: 'Undo',
  restore: 'Restore',
  restoreNamed: (name: string) => `Restore ${name}`,
  empty: 'Empty trash',
  emptyTitle: 'Empty the trash?',
  emptyDetail: 'The deleted clips and exports of this project and their files are deleted now. This cannot be undone.',
} as const
