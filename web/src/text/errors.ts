export const errorsText = {
  unreachable:
    'Cannot reach Roughcut. Check that it is running and that this device is online, then try again. Your saved work is safe.',
  unexpected: 'An unexpected error occurred. Reload the page. Your saved work is safe.',
  status: (status: number) =>
    `The server responded with status ${status}. Try again. If the error persists, check the server log.`,
  uploadInterrupted: 'The upload was interrupted. Check the connection to Roughcut and try again.',
  uploadCancelled: 'The upload was cancelled',
} as const
