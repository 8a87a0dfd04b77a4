import { useVirtualizer } from '@tanstack/react-virtual'
import {
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
} from 'react'
import type { Asset, AssetFilter } from '../api/assets'
import { commonText } from '../text/common'
import { libraryText } from '../text/library'
import { AssetCard, CARD_TEXT } from './AssetCard'
import { between, columnsIn, step, toggled } from './grid'
import { useAssetList, type AssetList } from './useAssets'

const GAP = 16
const NARROWEST = 168

interface AssetGridProps {
  filter: AssetFilter
  total: number
  /** The assets that are selected, by id. */
  selection: ReadonlyMap<string, Asset>
  onSelection: (selection: ReadonlyMap<string, Asset>) => void
  onSelectAll: () => void
  onOpen: (asset: Asset) => void
  onRename: (asset: Asset) => void
  onDelete: (assets: Asset[]) => void
  menu: (asset: Asset) => ReactNode
}

/** A virtual grid of asset cards. It renders and fetches only the visible assets. */
export function AssetGrid(props: AssetGridProps) {
  const { filter, total, selection, menu } = props
  const scroller = useRef<HTMLDivElement>(null)
  const size = useSize(scroller)
  const { columns, width } = columnsIn(size.width - 2 * GAP, NARROWEST, GAP)
  const rowHeight = Math.round(width * 0.6) + CARD_TEXT + GAP
  // eslint-disable-next-line react-hooks/incompatible-library -- rows keep no state
  const rows = useVirtualizer({
    count: Math.ceil(total / columns),
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 2,
    paddingStart: 4,
    paddingEnd: 64,
  })

  useLayoutEffect(() => rows.measure(), [rows, rowHeight])
  const shown = rows.getVirtualItems()
  const list = useAssetList(
    filter,
    total,
    (shown[0]?.index ?? 0) * columns,
    ((shown.at(-1)?.index ?? 0) + 1) * columns - 1,
  )

  const keys = useGridKeys(props, list, columns, Math.floor(size.height / rowHeight), (index) =>
    rows.scrollToIndex(Math.floor(index / columns)),
  )

  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto" data-grid-scroll>
      <div
        role="grid"
        aria-label={libraryText.grid}
        aria-multiselectable
        aria-rowcount={Math.ceil(total / columns)}
        aria-colcount={columns}
        className="relative mx-4"
        style={{ height: rows.getTotalSize() }}
        onKeyDown={keys.onKeyDown}
      >
        {size.width > 0 &&
          shown.map((row) => (
            <div
              key={row.key}
              role="row"
              aria-rowindex={row.index + 1}
              className="absolute inset-x-0 top-0 grid"
              style={{
                transform: `translateY(${row.start}px)`,
                height: rowHeight - GAP,
                gap: GAP,
                gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
              }}
            >
              {between(row.index * columns, Math.min((row.index + 1) * columns, total) - 1).map((index) => {
                const asset = list.at(index)
                const selected = asset !== undefined && selection.has(asset.uuid)
                return (
                  <div
                    key={index}
                    role="gridcell"
                    aria-colindex={(index % columns) + 1}
                    aria-selected={selected}
                    aria-label={asset?.display_name ?? commonText.loading}
                    data-index={index}
                    data-asset={asset?.uuid}
                    data-status={asset?.status}
                    tabIndex={index === keys.focused ? 0 : -1}
                    onFocus={() => keys.setFocused(index)}
                    className="min-w-0 rounded-lg outline-offset-2"
                  >
                    {asset ? (
                      <AssetCard
                        asset={asset}
                        selected={selected}
                        selecting={selection.size > 0}
                        dragged={() => (selected ? [...selection.keys()] : [asset.uuid])}
                        onClick={(e) => keys.onClick(e, asset, index)}
                        onSelect={(e) => keys.onSelect(e, asset, index)}
                        menu={menu(asset)}
                      />
                    ) : (
                      <div className="skeleton size-full rounded-lg" />
                    )}
                  </div>
                )
              })}
            </div>
          ))}
      </div>
    </div>
  )
}

// useGridKeys handles keys and clicks: it moves the focus, and selects and opens assets.
function useGridKeys(
  { total, selection, onSelection, onSelectAll, onOpen, onRename, onDelete }: AssetGridProps,
  list: AssetList,
  columns: number,
  rowsInView: number,
  reveal: (index: number) => void,
) {
  const [wanted, setFocused] = useState(0)
  const focused = Math.min(wanted, Math.max(total - 1, 0))
  const anchor = useRef(0)
  const moving = useRef(false)
  // The focused cell may not be rendered until the grid has scrolled to it.
  useEffect(() => {
    if (!moving.current) return
    const cell = document.querySelector<HTMLElement>(`[role=gridcell][data-index="${focused}"]`)
    if (!cell) return
    moving.current = false
    cell.focus({ preventScroll: true })
  })

  const selectRange = (to: number) => {
    const inside = new Set(between(anchor.current, to))
    onSelection(
      new Map(
        list
          .here()
          .filter((h) => inside.has(h.index))
          .map((h) => [h.asset.uuid, h.asset]),
      ),
    )
  }

  const toggle = (asset: Asset, index: number) => {
    anchor.current = index
    const uuids = toggled(new Set(selection.keys()), asset.uuid)
    const all = new Map(selection).set(asset.uuid, asset)
    onSelection(new Map([...all].filter(([uuid]) => uuids.has(uuid))))
  }

  const go = (index: number, extend: boolean) => {
    // A new range starts at the previous focus.
    if (!extend) anchor.current = index
    else if (selection.size === 0) anchor.current = focused
    if (extend) selectRange(index)
    moving.current = true
    setFocused(index)
    reveal(index)
  }

  const act = (event: KeyboardEvent, asset: Asset): boolean => {
    if (event.key === ' ' || event.key === 'Enter') onOpen(asset)
    else if (event.key === 'F2') onRename(asset)
    else if (event.key === 'x') toggle(asset, focused)
    else if (event.key === 'Delete' || event.key === 'Backspace')
      onDelete(selection.size > 0 ? [...selection.values()] : [asset])
    else return false
    return true
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.target instanceof Element) || event.target.getAttribute('role') !== 'gridcell') return
    const asset = list.at(focused)
    const target = step(event.key, focused, columns, rowsInView, total)
    let used = true
    if ((event.ctrlKey || event.metaKey) && event.key === 'a') onSelectAll()
    else if (event.key === 'Escape' && selection.size > 0) onSelection(new Map())
    else if (target !== null) go(target, event.shiftKey)
    else used = asset !== undefined && !event.ctrlKey && !event.metaKey && !event.altKey && act(event, asset)
    if (used) event.preventDefault()
  }

  const onClick = (event: MouseEvent, asset: Asset, index: number) => {
    setFocused(index)
    if (event.shiftKey) selectRange(index)
    else if (event.ctrlKey || event.metaKey || selection.size > 0) toggle(asset, index)
    else onOpen(asset)
  }

  const onSelect = (event: MouseEvent, asset: Asset, index: number) => {
    event.stopPropagation()
    setFocused(index)
    if (event.shiftKey) selectRange(index)
    else toggle(asset, index)
  }

  return { focused, setFocused, onKeyDown, onClick, onSelect }
}

function useSize(element: React.RefObject<HTMLElement | null>): { width: number; height: number } {
  const [size, setSize] = useState({ width: 0, height: 0 })
  useLayoutEffect(() => {
    const observer = new ResizeObserver(
      ([entry]) => entry && setSize({ width: entry.contentRect.width, height: entry.contentRect.height }),
    )

    if (element.current) observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])

  return size
}
