// The choices about silences, the edges of cuts and mutes, from the table that the server reads too.

import table from '../../../../media/cutoptions.json'
import type { CutOptions } from '../../api/analysis'
import { cutOptionsText as text } from '../../text/editor/cutOptions'
import { list } from '../../text/format'
import { CUT_KINDS, DETECTED_KINDS } from './kinds'

/** A choice among values, the default first, or yes or no without values. */
export interface CutOption {
  name: keyof CutOptions
  label: string
  hint: string
  summary: string
  values: { name: string; label: string; hint: string; summary?: string }[]
}

/** The choices that a page shows at a place, in display order. */
const optionsAt = (place: 'silences' | 'more'): CutOption[] =>
  table
    .filter((option) => option.place === place)
    .map(({ name, label = '', hint = '', summary = '', values = [] }) => ({
      name: name as keyof CutOptions,
      label,
      hint,
      summary,
      values,
    }))

/** The default of a level. */
export const defaultLevel = (name: string): number => table.find((option) => option.name === name)?.default ?? 0

/** Choices about kinds of silence. */
export const SILENCE_OPTIONS = optionsAt('silences')

/** The other choices. */
export const MORE_OPTIONS = optionsAt('more')

const OPTIONS = [...SILENCE_OPTIONS, ...MORE_OPTIONS]

/** Options of an analysis without choices. */
export const DEFAULT_OPTIONS = {
  ...Object.fromEntries(OPTIONS.map(({ name, values }) => [name, values[0]?.name ?? false])),
  mute_kinds: [],
} as unknown as CutOptions

/** The options of a stored value; missing and invalid ones get their defaults. */
export function validOptions(stored: unknown): CutOptions {
  const found = (typeof stored === 'object' && stored !== null ? stored : {}) as Record<string, unknown>
  const chosen = OPTIONS.filter(({ name, values }) =>
    values.length > 0 ? values.some((v) => v.name === found[name]) : typeof found[name] === 'boolean',
  )

  const muted = Array.isArray(found['mute_kinds']) ? found['mute_kinds'] : []
  return {
    ...DEFAULT_OPTIONS,
    ...Object.fromEntries(chosen.map(({ name }) => [name, found[name]])),
    mute_kinds: DETECTED_KINDS.map((kind) => kind.name).filter((name) => muted.includes(name)),
  }
}

/** The number of options that differ from the defaults. */
export const changedOptions = (options: CutOptions): number =>
  (Object.keys(DEFAULT_OPTIONS) as (keyof CutOptions)[]).filter(
    (name) => JSON.stringify(options[name]) !== JSON.stringify(DEFAULT_OPTIONS[name]),
  ).length

/** Words for the options that differ from the defaults. */
export function optionSummary(options: CutOptions): string[] {
  const parts = OPTIONS.map(({ name, summary, values }) => {
    const value = options[name]
    return value === true ? summary : values.find((v) => v.name === value)?.summary
  })

  const muted = CUT_KINDS.filter(({ name }) => options.mute_kinds.some((kind) => kind === name))
  if (muted.length > 0) parts.push(text.mutes(list(muted.map((kind) => kind.labelPlural))))
  return parts.filter((part) => part !== undefined)
}
