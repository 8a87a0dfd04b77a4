// Texts around the choices about kinds of silence, the edges of cuts and mutes, in the editor and in presets. The
// texts of each choice stand in media/cutoptions.json.

export const cutOptionsText = {
  silences: 'Kinds of silence',
  keepDemonstrationsPending:
    'Roughcut is still measuring the motion of a recording. The silences to keep become inactive when it has finished.',
  /** In a project of that many clips, one or more of which are recordings of a screen. */
  screen: (clips: number) =>
    `${clips === 1 ? 'This is' : 'One of the clips is'} a screen recording: silences while the video changes are kept.`,
  switchScreenOff: 'Switch off',
  muteKinds: 'Mute instead of cut',
  muteKindsHint: 'Keeps the video of these kinds and replaces the audio with room tone.',

  /** The kinds that mute, in a summary. */
  mutes: (kinds: string) => `mutes ${kinds.toLowerCase()}`,
} as const
