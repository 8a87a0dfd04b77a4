import { useQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { Plus } from 'lucide-react'
import { useMemo, useRef, useState, type DragEvent } from 'react'
import { ALL_ASSETS, wholeListQuery, type Asset } from '../../api/assets'
import { messageOf } from '../../api/client'
import { inWindow } from '../../api/desktop'
import { ASSETS } from '../../api/filetypes'
import { ASSET_DRAG } from '../../library/drag'
import { KIND_ICONS } from '../../library/kindIcons'
import { assetsText as text } from '../../text/editor/assets'
import { Button, IconButton } from '../../ui/Button'
import { FileButton } from '../../ui/FileButton'
import { bringsFiles } from '../../ui/fileDrag'
import { SearchBox } from '../../ui/SearchBox'
import { claimDrop } from '../../ui/useDesktopFiles'
import { UploadRow } from '../clips/UploadRow'
import { useLibraryUploads, useUploads } from '../state/uploads'
import { useActions } from '../commands/useCommand'
import { useEdits, useLayout } from '../state/contexts'
import { useHint } from '../state/hints'
import { useEditorStore } from '../state/store'
import { timecode } from '../plan/timecode'
import { matchingAssets } from '../edits/placements'
import { PlacementOptions, Placements } from './PlacementPane'
import { addFilesAndPlace } from './waitingPlacements'

/** Height of a row in pixels. */
const ROW = 56

/**
 * The placed assets, and the account's assets to drag to the timeline or place at the playhead. Files that are dropped are added to
 * the account. A selected placed asset shows its options instead.
 */
export function AssetsPane() {
  const { placements } = useEdits()
  const selected = useEditorStore((s) => s.selected)
  const placement = placements.find((p) => p.uuid === selected)
  return placement ? <PlacementOptions key={placement.uuid} placement={placement} /> : <AllAssets />
}

function AllAssets() {
  const [over, setOver] = useState(false)
  const uploads = useLibraryUploads()
  const takes = (event: DragEvent<HTMLElement>) => bringsFiles(event.nativeEvent)
  return (
    <div
      className={`relative flex min-h-0 flex-1 flex-col ${over ? 'outline-2 -outline-offset-2 outline-accent' : ''}`}
      data-testid="assets-pane"
      onDragOver={(event) => {
        if (!takes(event)) return
        event.preventDefault()
        setOver(true)
        if (!inWindow()) return
        claimDrop((paths) => {
          setOver(false)
          void addFilesAndPlace(paths, null)
        })
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        if (!takes(event)) return
        event.preventDefault()
        setOver(false)
        if (!inWindow()) useUploads.getState().addAssets(null, [...event.dataTransfer.files])
      }}
    >
      {uploads.length > 0 && (
        <ul className="border-b border-line p-1" aria-label={text.uploads}>
          {uploads.map((u) => (
            <UploadRow key={u.id} upload={u} />
          ))}
        </ul>
      )}
      <Placements />
      <Assets />
      {over && (
        <div className="pointer-events-none absolute inset-x-0 bottom-0 bg-surface">
          <p className="bg-accent-soft p-3 text-center text-sm font-semibold text-accent">{text.drop}</p>
        </div>
      )}
    </div>
  )
}

// AddAssets uploads chosen files to the library.
function AddAssets() {
  return (
    <FileButton
      label={text.add}
      fieldLabel={text.add}
      accept={ASSETS}
      size="sm"
      onFiles={(files) => useUploads.getState().addAssets(null, files)}
    />
  )
}

function Assets() {
  const { totalMs } = useLayout()
  const hint = useHint('assets')
  const [q, setQ] = useState('')
  const { data, error, isPending, refetch } = useQuery(wholeListQuery(ALL_ASSETS))
  const shown = useMemo(() => matchingAssets(data ?? [], q), [data, q])
  const scroller = useRef<HTMLDivElement>(null)
  // eslint-disable-next-line react-hooks/incompatible-library -- rows have no state
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 6,
  })

  if (error) {
    return (
      <div className="p-4 text-sm text-muted" role="alert">
        <p>{text.loadFailed(messageOf(error))}</p>
        <Button size="sm" className="mt-2" onClick={() => void refetch()}>
          {text.tryAgain}
        </Button>
      </div>
    )
  }

  if (isPending)
    return (
      <div className="space-y-2 p-3">
        {[0, 1, 2, 3].map((i) => (
          <div key={i} className="skeleton h-12" />
        ))}
      </div>
    )
  if (data.length === 0) {
    return (
      <div className="flex flex-col items-start gap-3 p-4 text-sm text-muted">
        <p>{text.empty}</p>
        <AddAssets />
      </div>
    )
  }

  return (
    <>
      <div className="flex items-center gap-2 border-b border-line p-2">
        <div className="min-w-0 flex-1">
          <SearchBox label={text.search} value={q} onChange={setQ} />
        </div>
        <AddAssets />
      </div>
      <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto" tabIndex={-1}>
        <ul className="relative" style={{ height: rows.getTotalSize() }} aria-label={text.list}>
          {rows.getVirtualItems().map((row) => (
            <Row key={shown[row.index]!.uuid} asset={shown[row.index]!} top={row.start} disabled={totalMs === 0} />
          ))}
        </ul>
        {shown.length === 0 && <p className="p-4 text-sm text-muted">{text.noMatch(q)}</p>}
      </div>
      {hint && <p className="border-t border-line px-3 py-2 text-xs text-faint">{text.hint}</p>}
    </>
  )
}

function Row({ asset, top, disabled }: { asset: Asset; top: number; disabled: boolean }) {
  const { place } = useActions()
  const ready = asset.status === 'uploaded'
  const Icon = KIND_ICONS[asset.kind]
  const about =
    asset.status === 'failed'
      ? (asset.error ?? text.unreadable)
      : asset.status === 'pending'
        ? text.processing
        : [asset.duration_ms === null ? text.image : timecode(asset.duration_ms), ...asset.tags].join(' · ')

  return (
    <li
      draggable={ready && !disabled}
      data-asset={asset.uuid}
      onDragStart={(event) => {
        event.dataTransfer.setData(ASSET_DRAG, asset.uuid)
        event.dataTransfer.effectAllowed = 'copy'
      }}
      style={{ transform: `translateY(${top}px)`, height: ROW }}
      className={`absolute inset-x-0 flex items-center gap-3 px-3 hover:bg-hover ${ready ? 'cursor-grab' : ''}`}
    >
      <span className="flex h-9 w-14 shrink-0 items-center justify-center overflow-hidden rounded-sm bg-raised text-muted">
        {asset.poster_url ? (
          <img src={asset.poster_url} alt="" loading="lazy" draggable={false} className="size-full object-cover" />
        ) : (
          <Icon size={16} aria-hidden />
        )}
      </span>
      <span className="min-w-0 flex-1">
        <span dir="auto" className="block truncate text-left text-sm font-medium">
          {asset.display_name}
        </span>
        <span className={`block truncate text-xs ${asset.status === 'failed' ? 'text-danger' : 'text-faint'}`}>
          {about}
        </span>
      </span>
      <IconButton label={text.place(asset.display_name)} disabled={!ready || disabled} onClick={() => place(asset)}>
        <Plus size={16} />
      </IconButton>
    </li>
  )
}
