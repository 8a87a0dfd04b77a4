import type { Clip } from '../../api/clips'
import { reviewText as text } from '../../text/editor/review'

/** Why an analysis of these clips proposed no cuts, and what to do. */
export const noCutsText = (clips: readonly Pick<Clip, 'has_audio'>[]) =>
  clips.length > 0 && clips.every((c) => c.has_audio === false) ? text.noAudio : text.noCuts
