import { Tabs } from 'radix-ui'
import { useEffectEvent, useLayoutEffect, useRef, useState, useSyncExternalStore, type ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels'
import { browserStorage } from '../../api/storage'
import { shellText as text } from '../../text/editor/shell'
import { PHONE } from '../../ui/useMedia'
import { AnalysisPanel } from '../analysis/AnalysisPanel'
import { AssetsPane } from '../assets/AssetsPane'
import { CaptionsPane } from '../captions/CaptionsPane'
import { ClipsPane } from '../clips/ClipsPane'
import { ExportsPane } from '../export/ExportsPane'
import { PlayerPane } from '../player/PlayerPane'
import { ReviewBar } from '../review/ReviewBar'
import { useEdits, usePlayer, useProject } from '../state/contexts'
import { useEditorStore, type LeftTab, type RightTab } from '../state/store'
import { TimelinePane } from '../timeline/TimelinePane'
import { TranscriptPane } from '../transcript/TranscriptPane'

/** From this window width on, two columns of panes fit next to the preview. */
const WIDE = window.matchMedia('(min-width: 1024px)')
const NARROW = window.matchMedia(PHONE)
/** Below this height, as at 150 % zoom, the preview, the timeline and the lists do not fit above each other. */
const LOW = window.matchMedia('(height < 640px)')
const currentLayout = () => (WIDE.matches ? 'wide' : NARROW.matches ? 'phone' : LOW.matches ? 'low' : 'narrow')
const watchLayout = (changed: () => void) => {
  for (const media of [WIDE, NARROW, LOW]) media.addEventListener('change', changed)
  return () => {
    for (const media of [WIDE, NARROW, LOW]) media.removeEventListener('change', changed)
  }
}

/** The panes of the editor. Their sizes can be dragged and are stored in this browser. */
export function Panels() {
  const shown = useSyncExternalStore(watchLayout, currentLayout)
  // All layouts show the same player and timeline elements, so that these keep their state when the window is resized.
  const player = usePane()
  const timeline = usePane()
  return (
    <>
      {createPortal(<PlayerPane />, player)}
      {createPortal(<TimelinePane />, timeline)}
      {shown === 'wide' && <Wide player={player} timeline={timeline} />}
      {shown === 'narrow' && <Narrow player={player} timeline={timeline} />}
      {shown === 'low' && <Low player={player} timeline={timeline} />}
      {shown === 'phone' && <Phone player={player} />}
    </>
  )
}

interface Panes {
  player: HTMLElement
  timeline: HTMLElement
}

// usePane creates an element that can move between layouts with its content.
const usePane = () =>
  useState(() => Object.assign(document.createElement('div'), { className: 'flex h-full min-h-0 min-w-0 flex-1' }))[0]

// Slot shows the element of a pane.
function Slot({ pane, onMoved }: { pane: HTMLElement; onMoved?: () => void }) {
  const slot = useRef<HTMLDivElement>(null)
  const moved = useEffectEvent(() => onMoved?.())
  useLayoutEffect(() => {
    slot.current!.append(pane)
    moved()
  }, [pane])

  return <div ref={slot} className="flex h-full min-h-0 min-w-0 flex-1" />
}

function PlayerSlot({ player }: { player: HTMLElement }) {
  const current = usePlayer()
  return <Slot pane={player} onMoved={() => current?.snapshot().playing && current.play()} /> // moving a video pauses it
}

function Wide({ player, timeline }: Panes) {
  const rows = useStoredLayout('rows')
  const columns = useStoredLayout('columns')
  return (
    <Group orientation="vertical" {...rows} className="min-h-0 flex-1">
      <Panel id="panes" minSize={200}>
        <Group orientation="horizontal" {...columns} className="h-full">
          <Panel id="left" defaultSize="25%" minSize={256} maxSize="45%" groupResizeBehavior="preserve-pixel-size">
            <Tabbed names={LEFT} />
          </Panel>
          <Border label={text.borders.leftList} />
          <Panel id="player" minSize={320} className="flex">
            <PlayerSlot player={player} />
          </Panel>
          <Border label={text.borders.rightList} />
          <Panel id="right" defaultSize="25%" minSize={272} maxSize="45%" groupResizeBehavior="preserve-pixel-size">
            <Tabbed names={RIGHT} />
          </Panel>
        </Group>
      </Panel>
      <Border label={text.borders.timelineBelow} />
      <Panel
        id="timeline"
        defaultSize={window.innerHeight < 800 ? 258 : 310}
        minSize={180}
        maxSize="70%"
        groupResizeBehavior="preserve-pixel-size"
      >
        <Slot pane={timeline} />
      </Panel>
    </Group>
  )
}

// Narrow stacks the preview, the timeline and one column of tabs with all lists.
function Narrow({ player, timeline }: Panes) {
  const rows = useStoredLayout('stack')
  return (
    <Group orientation="vertical" {...rows} className="min-h-0 flex-1">
      <Panel id="player" defaultSize="36%" minSize={180} className="flex">
        <PlayerSlot player={player} />
      </Panel>
      <Border label={text.borders.preview} />
      <Panel id="timeline" defaultSize="28%" minSize={200}>
        <Slot pane={timeline} />
      </Panel>
      <Border label={text.borders.timelineAbove} />
      <Panel id="lists" minSize={160}>
        <Tabbed names={ALL} />
      </Panel>
    </Group>
  )
}

// Low shows the preview next to one column of tabs with all lists, and the timeline below them.
function Low({ player, timeline }: Panes) {
  const rows = useStoredLayout('low')
  const columns = useStoredLayout('low-columns')
  return (
    <Group orientation="vertical" {...rows} className="min-h-0 flex-1">
      <Panel id="panes" minSize={160}>
        <Group orientation="horizontal" {...columns} className="h-full">
          <Panel id="player" minSize={280} className="flex">
            <PlayerSlot player={player} />
          </Panel>
          <Border label={text.borders.preview} />
          <Panel id="lists" defaultSize="50%" minSize={320}>
            <Tabbed names={ALL} />
          </Panel>
        </Group>
      </Panel>
      <Border label={text.borders.timelineBelow} />
      <Panel id="timeline" defaultSize={200} minSize={150} groupResizeBehavior="preserve-pixel-size">
        <Slot pane={timeline} />
      </Panel>
    </Group>
  )
}

// Phone shows the preview above the lists, the cuts first, and the decisions on the selected cut below them.
function Phone({ player }: Pick<Panes, 'player'>) {
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <div className="flex h-[38%] min-h-40 shrink-0">
        <PlayerSlot player={player} />
      </div>
      <div className="min-h-0 flex-1 border-t border-line">
        <Tabbed names={ALL} review />
      </div>
      <ReviewBar />
    </div>
  )
}

// useStoredLayout stores the sizes of a group of panes.
function useStoredLayout(name: string) {
  return useDefaultLayout({ id: `roughcut.${name}`, storage: browserStorage, onlySaveAfterUserInteractions: true })
}

// Border is a divider between panes. A drag and the arrow keys move it.
function Border({ label }: { label: string }) {
  return (
    <Separator
      aria-label={label}
      className="relative shrink-0 bg-line outline-offset-0 transition-colors hover:bg-accent aria-[orientation=horizontal]:h-px aria-[orientation=vertical]:w-px data-[separator=active]:bg-accent"
    />
  )
}

type Name = LeftTab | RightTab

const LEFT: readonly Name[] = ['transcript', 'captions', 'clips', 'assets'] satisfies LeftTab[]
const RIGHT: readonly Name[] = ['cuts', 'exports'] satisfies RightTab[]
/** The tabs of a narrow window. */
const ALL: readonly Name[] = ['transcript', 'cuts', 'captions', 'clips', 'assets', 'exports']

const isLeft = (name: Name): name is LeftTab => LEFT.includes(name)

const PANES: Record<Name, () => ReactNode> = {
  transcript: () => <TranscriptPane />,
  captions: () => <CaptionsPane />,
  clips: () => <ClipsPane />,
  assets: () => <AssetsPane />,
  cuts: () => <AnalysisPanel />,
  exports: () => <ExportsPane />,
}

const tabStyle =
  'relative h-10 shrink-0 px-1 text-sm font-medium phone:px-0.5 phone:text-xs text-muted transition-colors outline-offset-[-2px] hover:text-ink data-[state=active]:text-ink data-[state=active]:after:absolute data-[state=active]:after:inset-x-0 data-[state=active]:after:bottom-0 data-[state=active]:after:h-0.5 data-[state=active]:after:rounded-full data-[state=active]:after:bg-accent after:forced-color-adjust-none forced-colors:data-[state=active]:after:bg-[Highlight]'

function Tabbed({ names, review = false }: { names: readonly Name[]; review?: boolean }) {
  const { clips, project } = useProject()
  const { rows, placements } = useEdits()
  const { leftTab, rightTab, onlyTab } = useEditorStore()
  const { set } = useEditorStore.getState()
  const missing = clips.some((clip) => clip.reference && clip.reference.state !== 'present')
  const analyzed = project.active_run_id !== null || project.status === 'analyzing'
  const left = leftTab ?? (analyzed && !missing ? 'transcript' : 'clips')
  const choose = (name: Name) => (isLeft(name) ? set({ leftTab: name }) : set({ rightTab: name }))
  // A narrow window shows the tab of the next step, a phone the cuts; a wide one shows clips and cuts side by side.
  const next = !missing && (project.active_run_id ? review : clips.some((c) => c.status === 'ready')) ? 'cuts' : left
  const shown = names === ALL ? (onlyTab ?? next) : names.includes(left) ? left : rightTab
  const counts: Partial<Record<Name, number>> = {
    clips: clips.filter((c) => c.status !== 'pending_upload').length,
    cuts: rows.length,
    assets: placements.length,
  }

  return (
    <Tabs.Root value={shown} onValueChange={(v) => choose(v as Name)} className="flex h-full flex-col bg-surface">
      <Tabs.List className="flex shrink-0 gap-4 overflow-x-auto border-b border-line px-4 [scrollbar-width:none] phone:justify-between phone:gap-1 phone:px-2">
        {names.map((name) => (
          <Tabs.Trigger
            key={name}
            value={name}
            className={tabStyle}
            // After a click, the arrow keys move the playhead; from the keyboard, they change the tab.
            onClick={(event) => event.detail > 0 && event.currentTarget.blur()}
          >
            {text.tabs[name]}
            {counts[name] ? (
              <span className={`text-faint ${name === 'cuts' ? '' : 'phone:hidden'}`}> {text.count(counts[name])}</span>
            ) : null}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {names.map((name) => (
        <Tabs.Content
          key={name}
          value={name}
          tabIndex={-1}
          className="flex min-h-0 flex-1 flex-col outline-none data-[state=inactive]:hidden"
        >
          {PANES[name]()}
        </Tabs.Content>
      ))}
    </Tabs.Root>
  )
}
