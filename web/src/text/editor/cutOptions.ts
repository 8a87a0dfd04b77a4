// Texts of the choices about kinds of silence, the edges of cuts and mutes, in the editor and in presets.

export const cutOptionsText = {
  keep: 'Keep',
  shorten: 'Shorten',
  remove: 'Remove',

  silences: 'Kinds of silence',
  breaths: 'Breaths',
  breathsHint: {
    remove: 'Cuts breaths together with the pause around them.',
    shorten: 'Keeps one short breath where a pause is cut.',
    keep: 'Keeps breaths and cuts the silence around them.',
  },
  background: 'Background sound',
  backgroundHint: {
    remove: 'Cuts pauses that contain only a fan, hum or music.',
    keep: 'Keeps pauses in which a fan, hum or music is audible.',
  },
  faintSpeech: 'Speech too quiet to hear',
  faintSpeechHint: {
    keep: 'Keeps very quiet speech, such as an aside.',
    remove: 'Cuts very quiet speech, such as a voice in another room.',
  },
  keepDemonstrations: 'Keep demonstrations',
  keepDemonstrationsPending:
    'Roughcut is still measuring the motion of a recording. The silences to keep become inactive when it has finished.',
  keepDemonstrationsHint: 'Keeps silences in which the video changes. They are listed as inactive cuts.',
  exactEdges: 'Exact edges',
  exactEdgesHint: 'Ends each cut exactly where the pause ends. The export then re-encodes more of the video.',
  muteKinds: 'Mute instead of cut',
  muteKindsHint: 'Keeps the video of these kinds and replaces the audio with room tone.',

  /** The choices that differ from the defaults, in a summary. */
  summary: {
    cutFillers: 'cuts fillers',
    breaths: { shorten: 'shortens breaths', keep: 'keeps breaths' },
    background: 'keeps background sound',
    faintSpeech: 'removes quiet speech',
    keepDemonstrations: 'keeps demonstrations',
    exactEdges: 'exact edges',
    mutes: (kinds: string) => `mutes ${kinds.toLowerCase()}`,
  },
} as const
