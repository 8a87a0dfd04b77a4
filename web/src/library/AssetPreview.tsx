import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight, CircleAlert, Download, FolderPlus, Music, Scissors, Trash2, X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useState, type KeyboardEvent } from 'react'
import { toast } from 'sonner'
import { twMerge } from 'tailwind-merge'
import { assetURLQuery, updateAsset, type Asset } from '../api/assets'
import { messageOf } from '../api/client'
import { addToGroup, groupsOfAssetQuery, removeFromGroup } from '../api/groups'
import { commonText } from '../text/common'
import { bytes, duration, relativeTime } from '../text/format'
import { libraryText } from '../text/library'
import { Button, IconButton } from '../ui/Button'
import { inputClass } from '../ui/Field'
import { Notice } from '../ui/Notice'
import { stopLoading } from '../ui/stopLoading'
import { AudioOutline } from './AudioOutline'
import { GroupMenu } from './SelectionBar'
import { TagEditor } from './TagEditor'
import { useRefreshLibrary } from './useAssets'

interface AssetPreviewProps {
  asset: Asset | null
  onClose: () => void
  /** Opens the previous or next asset in the list. */
  onStep: (by: -1 | 1) => void
  onTrim: (asset: Asset) => void
  onExtract: (asset: Asset) => void
  onDelete: (asset: Asset) => void
  onNewGroup: (asset: Asset) => void
}

/** A full-size preview of an asset with its details and actions. */
export function AssetPreview({ asset, onClose, onStep, ...rest }: AssetPreviewProps) {
  const keyDown = (event: KeyboardEvent) => {
    if (event.target instanceof Element && event.target.closest('input, video, audio, [role=menu]')) return
    if (event.key === 'ArrowLeft') onStep(-1)
    else if (event.key === 'ArrowRight') onStep(1)
    else if (event.key === ' ' && !(event.target instanceof HTMLButtonElement)) onClose()
    else return
    event.preventDefault()
  }

  return (
    <Dialog.Root open={asset !== null} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="scrim" />
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={(e) => {
            e.preventDefault()

            ;(e.currentTarget as HTMLElement).focus()
          }}
          onKeyDown={keyDown}
          className="pop fixed inset-4 z-50 m-auto flex max-h-[900px] max-w-[1440px] overflow-hidden rounded-xl border border-line bg-surface shadow-pop outline-none max-lg:flex-col md:inset-8"
        >
          {asset && (
            <>
              <div className="relative flex min-h-0 min-w-0 flex-1 items-center justify-center bg-black">
                <Media key={`${asset.uuid}/${asset.status}/${asset.size_bytes}`} asset={asset} />
                <Step label={libraryText.previous} keys="←" className="left-2" onClick={() => onStep(-1)}>
                  <ChevronLeft size={20} />
                </Step>
                <Step label={libraryText.next} keys="→" className="right-2" onClick={() => onStep(1)}>
                  <ChevronRight size={20} />
                </Step>
              </div>
              <Details key={asset.uuid} asset={asset} {...rest} />
            </>
          )}
          <Dialog.Close
            aria-label={commonText.close}
            className="absolute top-3 right-3 inline-flex size-8 items-center justify-center rounded-md bg-surface text-muted hover:bg-hover hover:text-ink"
          >
            <X size={16} />
          </Dialog.Close>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Step({ className, ...rest }: React.ComponentProps<typeof IconButton>) {
  return (
    <IconButton
      className={`absolute top-1/2 -translate-y-1/2 bg-black/60 text-[#fff] hover:bg-black hover:text-[#fff] ${className}`}
      {...rest}
    />
  )
}

function Media({ asset }: { asset: Asset }) {
  const ready = asset.status === 'uploaded'
  const address = useQuery({ ...assetURLQuery(asset), enabled: ready })
  if (asset.status === 'failed')
    return <Plain icon={<CircleAlert size={40} />} text={asset.error ?? libraryText.unreadable} />
  if (!ready) return <Plain text={libraryText.stillProcessing} />
  if (address.isError) return <Plain icon={<CircleAlert size={40} />} text={messageOf(address.error)} />
  if (!address.data)
    return asset.poster_url ? <img src={asset.poster_url} alt="" className="size-full object-contain" /> : null
  if (asset.kind === 'image')
    return (
      <img
        src={address.data.url}
        alt={asset.display_name}
        className="max-h-full max-w-full object-contain"
        data-media
      />
    )
  if (asset.kind === 'audio') {
    return (
      <div className="flex w-full max-w-lg flex-col items-center gap-6 p-8 text-[#a0a9b5]">
        {asset.outline ? (
          <AudioOutline bars={asset.outline} className="h-40 w-full" />
        ) : (
          <Music size={64} aria-hidden />
        )}
        <audio ref={stopLoading} src={address.data.url} controls autoPlay className="w-full" data-media />
      </div>
    )
  }

  return (
    <video
      ref={stopLoading}
      src={address.data.url}
      poster={asset.poster_url ?? undefined}
      controls
      autoPlay
      playsInline
      className="size-full object-contain"
      data-media
    />
  )
}

const Plain = ({ icon, text }: { icon?: React.ReactNode; text: string }) => (
  <p className="flex max-w-md flex-col items-center gap-3 p-8 text-center text-sm text-[#c8ced6] first-letter:uppercase">
    {icon}
    {text}
  </p>
)

function Details({
  asset,
  onTrim,
  onExtract,
  onDelete,
  onNewGroup,
}: { asset: Asset } & Pick<AssetPreviewProps, 'onTrim' | 'onExtract' | 'onDelete' | 'onNewGroup'>) {
  const refresh = useRefreshLibrary()
  const change = (act: Promise<unknown>) =>
    void act.then(refresh, (error: unknown) => toast.error(libraryText.saveFailed, { description: messageOf(error) }))

  const ready = asset.status === 'uploaded'
  const playable = ready && asset.kind !== 'image' && asset.duration_ms !== null
  return (
    <aside
      aria-label={libraryText.details}
      className="flex w-80 shrink-0 flex-col gap-5 overflow-y-auto border-line p-5 max-lg:max-h-[45%] max-lg:w-full max-lg:border-t lg:border-l"
    >
      <Name asset={asset} onName={(name) => change(updateAsset(asset.uuid, { display_name: name }))} />
      <p className="text-xs text-faint">{factsOf(asset).join(' · ')}</p>
      {asset.error !== null && ready && (
        <Notice tone="danger" title={libraryText.editFailed}>
          {libraryText.editFailedHelp(asset.error)}
        </Notice>
      )}
      <TagEditor
        label={libraryText.tags}
        tags={asset.tags}
        onAdd={(tag) => change(updateAsset(asset.uuid, { tags: [...asset.tags, tag] }))}
        onRemove={(tag) => change(updateAsset(asset.uuid, { tags: asset.tags.filter((t) => t !== tag) }))}
      />
      <InGroups asset={asset} change={change} onNewGroup={() => onNewGroup(asset)} />
      <div className="mt-auto flex flex-col gap-2">
        {playable && (
          <Button onClick={() => onTrim(asset)}>
            <Scissors size={14} aria-hidden /> {libraryText.trim}
          </Button>
        )}
        {playable && asset.kind === 'video' && (
          <Button onClick={() => onExtract(asset)}>
            <Music size={14} aria-hidden /> {libraryText.extractAudio}
          </Button>
        )}
        {ready && <Save asset={asset} />}
        <Button variant="danger" onClick={() => onDelete(asset)}>
          <Trash2 size={14} aria-hidden /> {commonText.delete}
        </Button>
      </div>
    </aside>
  )
}

function Name({ asset, onName }: { asset: Asset; onName: (name: string) => void }) {
  const [name, setName] = useState(asset.display_name)
  const save = () => {
    const trimmed = name.trim()
    if (trimmed && trimmed !== asset.display_name) onName(trimmed)
    else setName(asset.display_name)
  }

  return (
    <div className="pr-10">
      <Dialog.Title className="sr-only">{asset.display_name}</Dialog.Title>
      <input
        aria-label={commonText.name}
        dir="auto"
        value={name}
        maxLength={255}
        onChange={(e) => setName(e.target.value)}
        onBlur={save}
        onKeyDown={(e) => e.key === 'Enter' && e.currentTarget.blur()}
        className={twMerge(
          inputClass,
          '-ml-2 h-9 border-transparent bg-transparent px-2 text-base font-semibold text-ellipsis hover:border-line focus:border-accent',
        )}
      />
    </div>
  )
}

function InGroups({
  asset,
  change,
  onNewGroup,
}: {
  asset: Asset
  change: (act: Promise<unknown>) => void
  onNewGroup: () => void
}) {
  const groups = useQuery(groupsOfAssetQuery(asset.uuid)).data ?? []
  return (
    <div role="group" aria-label={libraryText.groups}>
      <p className="mb-1 text-xs font-medium text-muted">{libraryText.groups}</p>
      <div className="flex flex-wrap gap-1">
        {groups.map((g) => (
          <span
            key={g.uuid}
            className="inline-flex h-7 max-w-full items-center gap-0.5 rounded-md bg-hover pl-2 text-xs"
          >
            <span dir="auto" className="truncate">
              {g.name}
            </span>
            <button
              type="button"
              aria-label={libraryText.removeFrom(g.name)}
              onClick={() => change(removeFromGroup(g.uuid, asset.uuid))}
              className="inline-flex size-7 shrink-0 items-center justify-center rounded-sm text-muted hover:text-ink"
            >
              <X size={12} />
            </button>
          </span>
        ))}
        <GroupMenu
          without={groups.map((g) => g.uuid)}
          onPick={(g) => change(addToGroup(g.uuid, asset.uuid))}
          onNew={onNewGroup}
        >
          <Button size="sm" variant="quiet">
            <FolderPlus size={14} aria-hidden /> {libraryText.addToGroup}
          </Button>
        </GroupMenu>
      </div>
    </div>
  )
}

// Save requests the URL on click, because URLs expire.
function Save({ asset }: { asset: Asset }) {
  const queryClient = useQueryClient()
  const save = async () => {
    const { url } = await queryClient.fetchQuery(assetURLQuery(asset))
    const link = document.createElement('a')
    link.href = url
    link.download = asset.display_name
    link.click()
  }

  return (
    <Button
      onClick={() =>
        void save().catch((error: unknown) =>
          toast.error(libraryText.downloadFailed, { description: messageOf(error) }),
        )
      }
    >
      <Download size={14} aria-hidden /> {libraryText.download}
    </Button>
  )
}

function factsOf(a: Asset): string[] {
  const facts: string[] = [libraryText.kindOf[a.kind]]
  if (a.width && a.height && a.kind !== 'audio') facts.push(`${a.width}×${a.height}`)
  if (a.duration_ms !== null) facts.push(duration(a.duration_ms))
  if (a.size_bytes > 0) facts.push(bytes(a.size_bytes))
  return [...facts, libraryText.added(relativeTime(a.created_at))]
}
