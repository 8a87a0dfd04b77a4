import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { toast } from 'sonner'
import { messageOf } from '../../api/client'
import { emptyTrash, restoreTrashed, trashQuery, type TrashItem } from '../../api/trash'
import { trashText as text } from '../../text/editor/trash'
import { bytes, date } from '../../text/format'
import { Button } from '../../ui/Button'
import { Confirm } from '../../ui/Confirm'
import { refreshClips, refreshExports } from '../state/refresh'

/** The deleted clips and exports of a project, which can be restored; nothing if the trash is empty. */
export function Trash({ project }: { project: string }) {
  const items = useQuery(trashQuery(project)).data ?? []
  const queryClient = useQueryClient()
  const refresh = () => {
    refreshClips(queryClient, project)
    refreshExports(queryClient, project)
  }

  const onError = (error: unknown) => toast.error(messageOf(error))
  const restore = useMutation({
    mutationFn: (item: TrashItem) => restoreTrashed(project, item.uuid),
    onSettled: refresh,
    onError,
  })

  const [asking, setAsking] = useState(false)
  const empty = useMutation({
    mutationFn: () => emptyTrash(project),
    onSettled: () => {
      setAsking(false)
      refresh()
    },
    onError,
  })

  if (items.length === 0) return null
  return (
    <details className="group max-h-[40%] shrink-0 overflow-y-auto border-t border-line px-4 py-2 text-xs">
      <summary className="flex cursor-pointer items-center gap-1.5 font-medium text-muted hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight size={14} className="transition-transform group-open:rotate-90" aria-hidden />
        {text.trash(items.length)}
      </summary>
      <ul className="mt-2 flex flex-col gap-1" aria-label={text.list}>
        {items.map((item) => (
          <li key={item.uuid} className="flex items-center gap-2">
            <span className="min-w-0 flex-1">
              <bdi className="block truncate font-medium">{item.name}</bdi>
              <span className="block text-muted">
                {text.detail(text.kinds[item.kind], bytes(item.size_bytes), date(item.purged_at))}
              </span>
            </span>
            <Button
              size="sm"
              aria-label={text.restoreNamed(item.name)}
              disabled={restore.isPending}
              onClick={() => restore.mutate(item)}
            >
              {text.restore}
            </Button>
          </li>
        ))}
      </ul>
      <Button size="sm" variant="quiet" className="mt-2" onClick={() => setAsking(true)}>
        {text.empty}
      </Button>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={text.emptyTitle}
        yes={text.empty}
        busy={empty.isPending}
        onConfirm={() => empty.mutate()}
      >
        {text.emptyDetail}
      </Confirm>
    </details>
  )
}
