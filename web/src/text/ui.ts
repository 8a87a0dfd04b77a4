import { number } from './format'

export const uiText = {
  copy: 'Copy',
  copied: 'Copied',
  copyBlocked: 'The browser blocked copying. Select the text and copy it.',
  typeToConfirm: 'Type {word} to confirm',
  clearSearch: 'Clear search',
  closeMessage: 'Close message',
  link: 'Link',
  checkingLink: 'Checking link…',
  pagesOf: (items: string) => `Pages of ${items}`,
  itemRange: (first: number, last: number, total: number) => `${number(first)}–${number(last)} of ${number(total)}`,
  previousPage: 'Previous page',
  nextPage: 'Next page',
  switchTheme: { dark: 'Switch to dark theme', light: 'Switch to light theme' },
  filesNotReceived: 'Could not add the files',
  nothingAdded: 'No files were added',
  dropLocalFiles: 'You can drop only files from this computer here. To add a link, copy it and paste it.',
  emptyFolder: (folder: string) => `The folder “${folder}” has no recordings`,
  emptyFolderHelp: 'Roughcut does not read its subfolders. Drop the folder that contains the recordings.',
  folderNotRead: (folder: string) => `Could not read the folder “${folder}”`,
  dropElsewhere:
    'Drop recordings on the projects page or into a project. To add files to the library, click Add files.',
} as const
