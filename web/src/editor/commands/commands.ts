// The commands of the editor. Keys, buttons, tooltips and the shortcuts dialog all read this table.

import {
  ArrowDown,
  ArrowLeftToLine,
  ArrowRightToLine,
  ArrowUp,
  Bookmark,
  Captions as CaptionsIcon,
  Check,
  ChevronFirst,
  ChevronLast,
  ChevronsLeft,
  ChevronsRight,
  CircleHelp,
  Combine,
  FastForward,
  FileOutput,
  Flag,
  Fullscreen,
  ImageDown,
  ListChecks,
  ListMusic,
  Maximize2,
  MousePointerClick,
  MoveLeft,
  MoveRight,
  Play,
  RectangleVertical,
  Redo2,
  Replace,
  Rewind,
  Save,
  Scissors,
  Search,
  Share,
  SkipBack,
  SkipForward,
  SpellCheck,
  SquareSplitHorizontal,
  StickyNote,
  ToggleLeft,
  Trash2,
  Undo2,
  UserPen,
  VolumeX,
  X,
  ZoomIn,
  ZoomOut,
  type LucideIcon,
} from 'lucide-react'
import { toast } from 'sonner'
import { commandsText as text } from '../../text/editor/commands'
import type { EditorModel } from '../state/contexts'
import { useEditorStore } from '../state/store'
import {
  addCaption,
  deleteCaption,
  editSpeaker,
  findInCaptions,
  mergeCaption,
  splitCaption,
  stepCaptions,
  trimCaption,
} from './captionActions'
import {
  addNote,
  clearSelection,
  correctWords,
  cutOrRemove,
  markChapter,
  markTo,
  muteSelection,
  nudge,
  restoreSelection,
  splitAtPlayhead,
  trimToPlayhead,
} from './editActions'
import { goToEnd, goToStart, play, seekBy, shuttle, stepBy, toggleFullscreen, toggleSkipCuts } from './playbackActions'
import { exportShorts, makeShort } from './shortActions'
import { decide, playSelectedCut, stepCuts, toggleSelected } from './reviewActions'
import { saveStill } from './stillAction'
import { keepNthTake, playNthTake } from './takeActions'
import { requestZoom } from './zoom'

export type CommandGroup = keyof typeof text.groups

/** The name of a command. Stored keymaps contain names, so a name must not change. */
export type CommandName = keyof typeof text.labels

export interface Command {
  group: CommandGroup
  label: string
  icon: LucideIcon
  /** Default shortcuts, as keyOf writes them. */
  keys: readonly string[]
  /** Runs the command. nth is the position of the pressed key among its shortcuts, from 0; 0 for a button. */
  run: (editor: EditorModel, nth: number) => void
  /** Whether the command can run now. */
  enabled: (editor: EditorModel) => boolean
}

const always = () => true
const hasCaptions = ({ captions }: EditorModel) => captions.lines.length > 0
const hasFootage = ({ totalMs }: EditorModel) => totalMs > 0

type Definition = [
  group: CommandGroup,
  icon: LucideIcon,
  keys: readonly string[],
  run: Command['run'],
  enabled?: Command['enabled'],
]

/** The shortcuts of takes: the nth key chooses the nth take. */
const DIGITS = ['1', '2', '3', '4', '5', '6', '7', '8', '9']

const DEFINITIONS: Record<CommandName, Definition> = {
  play: ['playback', Play, ['Space', 'K'], play, hasFootage],
  forward: ['playback', FastForward, ['L'], shuttle(1), hasFootage],
  backward: ['playback', Rewind, ['J'], shuttle(-1), hasFootage],
  frameBack: ['playback', ChevronFirst, ['ArrowLeft'], stepBy(-1), hasFootage],
  frameOn: ['playback', ChevronLast, ['ArrowRight'], stepBy(1), hasFootage],
  secondBack: ['playback', ChevronsLeft, ['Shift+ArrowLeft'], seekBy(-1000), hasFootage],
  secondOn: ['playback', ChevronsRight, ['Shift+ArrowRight'], seekBy(1000), hasFootage],
  start: ['playback', SkipBack, ['Home'], goToStart, hasFootage],
  end: ['playback', SkipForward, ['End'], goToEnd, hasFootage],
  skip: ['playback', Scissors, ['P'], toggleSkipCuts],
  fullscreen: ['playback', Fullscreen, ['F'], toggleFullscreen, hasFootage],

  previous: ['review', ArrowLeftToLine, ['ArrowUp'], stepCuts(-1)],
  next: ['review', ArrowRightToLine, ['ArrowDown'], stepCuts(1)],
  toggle: ['review', ToggleLeft, ['X'], toggleSelected],
  take: ['review', Check, ['Y'], decide(true)],
  reject: ['review', X, ['N'], decide(false)],
  before: ['review', Play, ['B'], playSelectedCut('before')],
  after: ['review', Play, ['A'], playSelectedCut('after')],
  chooseTake: ['review', ListChecks, DIGITS, keepNthTake],
  playTake: ['review', ListMusic, DIGITS.map((digit) => `Shift+${digit}`), playNthTake],

  markIn: ['editing', Bookmark, ['I'], markTo('start')],
  markOut: ['editing', Bookmark, ['O'], markTo('end')],
  delete: ['editing', Scissors, ['Delete', 'Backspace'], cutOrRemove],
  restore: ['editing', Undo2, ['R'], restoreSelection],
  mute: ['editing', VolumeX, ['U'], muteSelection],
  split: ['editing', SquareSplitHorizontal, ['S', 'Ctrl+B'], splitAtPlayhead, hasFootage],
  chapter: ['editing', Flag, ['M'], markChapter, hasFootage],
  note: ['editing', StickyNote, ['T'], addNote, hasFootage],
  short: ['editing', RectangleVertical, ['V'], makeShort, hasFootage],
  correct: ['editing', SpellCheck, ['F2'], correctWords, (m) => m.words.length > 0],
  startHere: ['editing', ArrowLeftToLine, ['['], trimToPlayhead('start')],
  endHere: ['editing', ArrowRightToLine, [']'], trimToPlayhead('end')],
  nudgeBack: ['editing', MoveLeft, ['Ctrl+ArrowLeft'], nudge(-1)],
  nudgeOn: ['editing', MoveRight, ['Ctrl+ArrowRight'], nudge(1)],
  unmark: ['editing', MousePointerClick, ['Escape'], clearSelection],

  captionPrevious: ['captions', ArrowUp, ['Alt+ArrowUp'], stepCaptions(-1), hasCaptions],
  captionNext: ['captions', ArrowDown, ['Alt+ArrowDown'], stepCaptions(1), hasCaptions],
  captionAdd: ['captions', CaptionsIcon, ['C'], addCaption, (m) => m.project.active_run_id !== null],
  captionSplit: ['captions', SquareSplitHorizontal, ['Ctrl+Enter'], splitCaption, hasCaptions],
  captionMerge: ['captions', Combine, ['Ctrl+J'], mergeCaption, hasCaptions],
  captionDelete: ['captions', Trash2, ['Ctrl+Shift+Backspace', 'Ctrl+Shift+Delete'], deleteCaption, hasCaptions],
  captionStart: ['captions', ArrowLeftToLine, ['Alt+['], trimCaption('start'), hasCaptions],
  captionEnd: ['captions', ArrowRightToLine, ['Alt+]'], trimCaption('end'), hasCaptions],
  captionSpeaker: ['captions', UserPen, ['Alt+S'], editSpeaker, hasCaptions],
  captionFind: ['captions', Replace, ['Ctrl+Shift+H'], findInCaptions, hasCaptions],

  undo: ['general', Undo2, ['Ctrl+Z'], (m) => m.history.undo(), (m) => m.editState.undo !== null],
  redo: ['general', Redo2, ['Ctrl+Shift+Z', 'Ctrl+Y'], (m) => m.history.redo(), (m) => m.editState.redo !== null],
  save: ['general', Save, ['Ctrl+S'], () => void toast(text.autosave)],
  find: ['general', Search, ['Ctrl+F'], openFind],
  replace: ['general', Replace, ['Ctrl+H'], openReplace, (m) => m.words.length > 0],
  zoomIn: ['general', ZoomIn, ['+', '='], () => requestZoom(1.6), hasFootage],
  zoomOut: ['general', ZoomOut, ['-'], () => requestZoom(1 / 1.6), hasFootage],
  zoomAll: ['general', Maximize2, ['Z'], () => requestZoom('fit'), hasFootage],
  // An export renders stored edits, and the server has not stored provisional cuts yet.
  export: ['general', Share, ['E'], openDialog('exporting'), (m) => m.totalMs > 0 && !m.provisional],
  exportShorts: ['general', RectangleVertical, [], exportShorts, (m) => m.shorts.shorts.length > 0 && !m.provisional],
  timelines: ['general', FileOutput, [], openDialog('timelines'), (m) => m.totalMs > 0 && !m.provisional],
  still: ['general', ImageDown, ['Shift+S'], (m) => saveStill(m), hasFootage],
  stillJpeg: ['general', ImageDown, ['Alt+Shift+S'], (m) => saveStill(m, 'jpeg'), hasFootage],
  help: ['general', CircleHelp, ['?'], openDialog('help')],
}

/** All commands by name, in the order of the shortcuts dialog. */
export const COMMANDS = Object.fromEntries(
  Object.entries(DEFINITIONS).map(([name, [group, icon, keys, run, enabled = always]]) => [
    name,
    { group, icon, keys, run, enabled, label: text.labels[name as CommandName] },
  ]),
) as Record<CommandName, Command>

export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[]

/** The command groups with their titles and commands, for lists of shortcuts. */
export const COMMAND_GROUPS = Object.entries(text.groups).map(([group, title]) => ({
  title,
  commands: COMMAND_NAMES.filter((name) => COMMANDS[name].group === group),
}))

/** Runs a command if it is enabled. */
export function runCommand(name: CommandName, editor: EditorModel, nth = 0): void {
  if (COMMANDS[name].enabled(editor)) COMMANDS[name].run(editor, nth)
}

function openFind(): void {
  const { find, set } = useEditorStore.getState()
  set({ leftTab: 'transcript', find: find ?? '' })
  document.querySelector<HTMLInputElement>('#find')?.select() // selects the query if the search bar is open already
}

function openReplace(): void {
  useEditorStore.getState().set({ replacing: true })
  openFind()
}

function openDialog(dialog: 'exporting' | 'timelines' | 'help'): () => void {
  return () => useEditorStore.getState().set({ [dialog]: true })
}
