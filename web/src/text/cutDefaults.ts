// Texts of the learned defaults.

import { list, number, percent, plural } from './format'

/** Decisions about a kind before they have an effect. */
const NEEDED = 20

const limit = (value: number) => percent(value, 1)

export const cutDefaultsText = {
  title: 'Learned from your cuts',
  help: 'When you export, Roughcut counts which proposed cuts you kept and which you switched off. Later analyses switch on the cuts that you are likely to keep.',
  theDefaults: 'what Roughcut has learned',
  learn: 'Learn from my exports',
  learnHint: 'When this is off, exports count nothing and every analysis uses the defaults.',
  none: 'No decisions yet',
  decisions: (kept: number, off: number) => `${number(kept)} kept, ${number(off)} off`,
  /** The effect of the decisions on later analyses. */
  follows: (decisions: number, from: number, usual: number, enabled: boolean) => {
    if (!enabled) return `Cuts are on from ${limit(usual)} confidence, the default.`
    if (from > usual) return `Cuts below ${limit(from)} confidence start switched off. The default is ${limit(usual)}.`
    if (from < usual) return `Cuts are on from ${limit(from)} confidence. The default is ${limit(usual)}.`
    if (decisions < NEEDED)
      return plural(NEEDED - decisions, {
        one: `The default, ${limit(usual)}, applies. One more decision is needed.`,
        other: `The default, ${limit(usual)}, applies. # more decisions are needed.`,
      })
    return `Your decisions match the default, ${limit(usual)}.`
  },
  /** The effect on the cuts of a project: kinds with the confidence from which they are on. */
  inProject: (kinds: readonly { name: string; from: number }[]) =>
    `Learned from your exports: ${list(kinds.map((k) => `${k.name.toLowerCase()} are on from ${limit(k.from)}`))} confidence.`,
  change: 'Change',
  onlyWithFillers: 'Applies only with “Cut fillers”.',
  reset: 'Forget decisions',
  resetTitle: 'Forget all decisions?',
  resetHelp: 'Later analyses use the defaults until you have exported more videos. Your projects do not change.',
} as const
