import { Tabs } from 'radix-ui'
import { useEffectEvent, useLayoutEffect, useRef, useState, useSyncExternalStore, type ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels'
import { AnalysisPanel } from '../analysis/AnalysisPanel'
import { AssetsPane } from '../assets/AssetsPane'
import { CaptionsPane } from '../captions/CaptionsPane'
import { ClipsPane } from '../clips/ClipsPane'
import { ExportsPane } from '../export/ExportsPane'
import { useEdits, usePlayer, useProject } from '../state/contexts'
import { PlacementPane } from '../assets/PlacementPane'
import { PlayerPane } from '../player/PlayerPane'
import { useEditorStore, type LeftTab, type RightTab } from '../state/store'
import { TimelinePane } from '../timeline/TimelinePane'
import { TranscriptPane } from '../transcript/TranscriptPane'

/** Where two columns of panes fit beside the picture. */
const WIDE = '(min-width: 1024px)'
const query = () => window.matchMedia(WIDE)
const watch = (changed: () => void) => {
  const media = query()
  media.addEventListener('change', changed)
  return () => media.removeEventListener('change', changed)
}

/** The panes of the editor. Borders between them can be dragged, and stay where they were left in this browser. */
export function Panels() {
  const wide = useSyncExternalStore(watch, () => query().matches)
  // Both arrangements take in the same player and timeline: they go on where they are when the window changes.
  const player = usePane()
  const timeline = usePane()
  return (
    <>
      {createPortal(<PlayerPane />, player)}
      {createPortal(<TimelinePane />, timeline)}
      {wide ? <Wide player={player} timeline={timeline} /> : <Narrow player={player} timeline={timeline} />}
    </>
  )
}

interface Panes {
  player: HTMLElement
  timeline: HTMLElement
}

// usePane makes an element that can be moved with all that is in it.
const usePane = () =>
  useState(() => Object.assign(document.createElement('div'), { className: 'flex h-full min-h-0 min-w-0 flex-1' }))[0]

// Slot is where a pane is shown.
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
  return <Slot pane={player} onMoved={() => current?.snapshot().playing && current.play()} /> // videos that are moved stop
}

function Wide({ player, timeline }: Panes) {
  const rows = useKept('rows')
  const columns = useKept('columns')
  return (
    <Group orientation="vertical" {...rows} className="min-h-0 flex-1">
      <Panel id="panes" minSize={240}>
        <Group orientation="horizontal" {...columns} className="h-full">
          <Panel id="left" defaultSize="25%" minSize={256} maxSize="45%" groupResizeBehavior="preserve-pixel-size">
            <Tabbed names={LEFT} />
          </Panel>
          <Border />
          <Panel id="player" minSize={320} className="flex">
            <PlayerSlot player={player} />
          </Panel>
          <Border />
          <Panel id="right" defaultSize="25%" minSize={272} maxSize="45%" groupResizeBehavior="preserve-pixel-size">
            <Tabbed names={RIGHT} />
          </Panel>
        </Group>
      </Panel>
      <Border />
      <Panel id="timeline" defaultSize={276} minSize={220} maxSize="70%" groupResizeBehavior="preserve-pixel-size">
        <Slot pane={timeline} />
      </Panel>
    </Group>
  )
}

// Narrow has the picture and the timeline one below the other, and all lists in one column of tabs below them.
function Narrow({ player, timeline }: Panes) {
  const rows = useKept('stack')
  return (
    <Group orientation="vertical" {...rows} className="min-h-0 flex-1">
      <Panel id="player" defaultSize="36%" minSize={180} className="flex">
        <PlayerSlot player={player} />
      </Panel>
      <Border />
      <Panel id="timeline" defaultSize="28%" minSize={200}>
        <Slot pane={timeline} />
      </Panel>
      <Border />
      <Panel id="lists" minSize={160}>
        <Tabbed names={ALL} />
      </Panel>
    </Group>
  )
}

// useKept keeps the borders of a group.
function useKept(name: string) {
  return useDefaultLayout({ id: `roughcut.${name}`, storage: quietStorage, onlySaveAfterUserInteractions: true })
}

/** Storage that a browser may have blocked. */
const quietStorage = {
  getItem: (key: string) => {
    try {
      return localStorage.getItem(key)
    } catch {
      return null
    }
  },
  setItem: (key: string, value: string) => {
    try {
      localStorage.setItem(key, value)
    } catch {
      // The borders hold until the page is closed.
    }
  },
}

function Border() {
  return (
    <Separator className="relative shrink-0 bg-line outline-offset-0 transition-colors hover:bg-accent aria-[orientation=horizontal]:h-px aria-[orientation=vertical]:w-px data-[separator=active]:bg-accent" />
  )
}

type Name = LeftTab | RightTab

const LEFT: readonly Name[] = ['transcript', 'captions', 'clips', 'assets'] satisfies LeftTab[]
const RIGHT: readonly Name[] = ['cuts', 'placement', 'exports'] satisfies RightTab[]
/** Of the one column of a narrow window. */
const ALL: readonly Name[] = ['transcript', 'cuts', 'captions', 'clips', 'assets', 'placement', 'exports']

const isLeft = (name: Name): name is LeftTab => LEFT.includes(name)

const PANES: Record<Name, { label: string; pane: () => ReactNode }> = {
  transcript: { label: 'Transcript', pane: () => <TranscriptPane /> },
  captions: { label: 'Captions', pane: () => <CaptionsPane /> },
  clips: { label: 'Clips', pane: () => <ClipsPane /> },
  assets: { label: 'Assets', pane: () => <AssetsPane /> },
  cuts: { label: 'Cuts', pane: () => <AnalysisPanel /> },
  placement: { label: 'Placed', pane: () => <PlacementPane /> },
  exports: { label: 'Exports', pane: () => <ExportsPane /> },
}

const tabLook =
  'relative h-10 shrink-0 px-1 text-sm font-medium text-muted transition-colors outline-offset-[-2px] hover:text-ink data-[state=active]:text-ink data-[state=active]:after:absolute data-[state=active]:after:inset-x-0 data-[state=active]:after:bottom-0 data-[state=active]:after:h-0.5 data-[state=active]:after:rounded-full data-[state=active]:after:bg-accent'

function Tabbed({ names }: { names: readonly Name[] }) {
  const { clips, project } = useProject()
  const { edits, placements } = useEdits()
  const { leftTab, rightTab, onlyTab } = useEditorStore()
  const { set } = useEditorStore.getState()
  const left = leftTab ?? (project.active_run_id || project.status === 'analyzing' ? 'transcript' : 'clips')
  const choose = (name: Name) => (isLeft(name) ? set({ leftTab: name }) : set({ rightTab: name }))
  // One column shows what comes next: where cuts are looked for stands beside the clips only in a wide window.
  const next = !project.active_run_id && clips.some((c) => c.status === 'ready') ? 'cuts' : left
  const shown = names === ALL ? (onlyTab ?? next) : names.includes(left) ? left : rightTab
  const counts: Partial<Record<Name, number>> = {
    clips: clips.filter((c) => c.status !== 'pending_upload').length,
    cuts: edits.length,
    placement: placements.length,
  }
  return (
    <Tabs.Root value={shown} onValueChange={(v) => choose(v as Name)} className="flex h-full flex-col bg-surface">
      <Tabs.List className="flex shrink-0 gap-4 overflow-x-auto border-b border-line px-4 [scrollbar-width:none]">
        {names.map((name) => (
          <Tabs.Trigger key={name} value={name} className={tabLook}>
            {PANES[name].label}
            {counts[name] ? <span className="text-faint"> {counts[name].toLocaleString('en')}</span> : null}
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
          {PANES[name].pane()}
        </Tabs.Content>
      ))}
    </Tabs.Root>
  )
}
