import { plural } from './format'

export const shellText = {
  mainNavigation: 'Main',
  projects: 'Projects',
  library: 'Library',
  accountOf: (name: string) => `Account of ${name}`,
  settings: 'Settings',
  invitePeople: 'Invite people',
  server: 'Server',
  help: 'Help',

  // Error pages
  pageFailed: 'Could not show this page',
  notFound: 'Page not found',
  notFoundHelp: 'The address is wrong, or the page was deleted.',
  goToProjects: 'Go to projects',

  // Command palette
  palette: 'Go to',
  palettePlaceholder: 'Go to a project or page',
  paletteEmpty: 'No matches',
  pages: 'Pages',
  allProjects: 'All projects',
  librarySearchTerms: 'Library assets',
  settingsSearchTerms: (page: string) => `${page} settings`,
  theme: 'Theme',
  darkTheme: 'Dark theme',
  lightTheme: 'Light theme',
  systemTheme: 'System theme',

  // Uploads
  uploads: 'Uploads',
  uploading: (n: number) => `Uploading ${plural(n, { one: '# file', other: '# files' })}`,
  uploadsFailed: (n: number) => plural(n, { one: '# upload failed', other: '# uploads failed' }),
  hideUploads: 'Hide uploads',
  showUploads: 'Show uploads',
  allUploads: 'All uploads',
  retryAll: 'Retry all',
  clearErrors: (n: number) => plural(n, { one: 'Clear # error', other: 'Clear # errors' }),
  timeLeft: (duration: string) => `${duration} left`,
} as const
