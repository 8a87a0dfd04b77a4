export const helpText = {
  keys: 'Keyboard shortcuts',
  keysHelp: 'Shortcuts work in a project while no text field has the focus. Press ? in a project to change them.',
  everywhere: 'Everywhere',
  goTo: 'Go to a project or page',
  words: 'Glossary',
  glossary: [
    ['Clip', 'A recording in a project. Roughcut joins the clips in order and never changes the originals.'],
    ['Run', 'One analysis of a project. The last run is active, and you can return to an earlier one.'],
    ['Cut', 'A span that the video leaves out. Each cut has a reason, and one key restores it.'],
    ['Pacing', 'How long a pause can be before Roughcut cuts it, and how much of the pause stays around speech.'],
    ['False start', 'A sentence that the speaker starts again. Roughcut keeps the last take.'],
    ['Filler', 'A word such as “um” or “uh”. Roughcut marks fillers but keeps them unless you cut them.'],
    ['Stutter', 'A word that is repeated at once, or its start. Roughcut marks stutters like fillers.'],
    ['Draft', 'A saved selection of cuts with export settings.'],
    ['Export', 'A rendered video. It matches the preview frame by frame.'],
    ['Asset', 'An image, video or audio file from your library that you place in a project.'],
    ['AI minutes', 'The unit for analyses if the server limits them: one minute of recording costs one AI minute.'],
  ],
  offline: 'Offline use',
  offlineHelp:
    'Recordings, transcripts and exports stay on the computer that runs Roughcut. Roughcut works without a network and uses it only for these purposes:',
  connections: [
    ['Speech models', 'when an admin downloads one'],
    ['Import from a link', 'when you add a link'],
    ['Email', 'if the server has a mail server; otherwise, emails stay in the outbox folder'],
    ['Sign-in through a provider', 'if the server offers one and you use it'],
    ['Payments', 'if the server sells subscriptions through a payment provider'],
    [
      'AI Director with a language model',
      'if the server is configured to use one; otherwise, the AI Director runs locally',
    ],
  ],
  api: 'API',
  apiHelp: 'You can do everything in this app through the API as well. Create an access token under Security first.',
  openAPI: 'Open API reference',
  about: 'About',
  aboutHelp:
    'Roughcut is free software under the GNU General Public License, version 3 or later. It comes without any warranty. You may run, study, change and share it.',
  versions: 'Versions',
  thanks:
    'Roughcut is built on FFmpeg (LGPL and GPL), x264 and x265 (GPL), whisper.cpp (MIT), libass (ISC), dav1d (BSD), bbolt (MIT), Bleve (Apache), React (MIT), the Inter font (SIL Open Font License) and many other projects.',
} as const
