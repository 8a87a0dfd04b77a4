import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Trash2, X } from 'lucide-react'
import { toast } from 'sonner'
import { messageOf } from '../../api/client'
import { clipsQuery, makeConstantRateCopy, removeConstantRateCopy, type Clip } from '../../api/clips'
import { timelinesText } from '../../text/editor/timelines'
import { bytes, percent } from '../../text/format'
import { Badge } from '../../ui/Badge'
import { Button, IconButton } from '../../ui/Button'
import { Progress } from '../../ui/Progress'
import { useProject } from '../state/contexts'
import { useLive } from '../state/store'

const text = timelinesText.variable

/** Whether the constant-rate copy of a clip is ready. */
export const hasCopy = (clip: Clip): boolean => clip.constant_rate_copy?.status === 'ready'

/** Lists the clips with a variable frame rate, and makes constant-rate copies of them. */
export function VariableRates({ clips }: { clips: Clip[] }) {
  const refresh = useRefresh()
  const missing = clips.filter((c) => !c.constant_rate_copy || c.constant_rate_copy.status === 'failed')
  const make = useMutation({
    mutationFn: async () => {
      for (const clip of missing) await makeConstantRateCopy(clip.uuid)
    },
    onSettled: refresh,
    onError: (error) => toast.error(text.notMade, { description: messageOf(error) }),
  })

  if (clips.length === 0) return null
  return (
    <section className="flex flex-col gap-2" data-testid="variable-rates">
      <div>
        <h3 className="text-sm font-medium">{text.title}</h3>
        <p className="text-xs text-muted">
          {text.hint} {clips.every(hasCopy) && text.packed}
        </p>
      </div>
      <ul className="divide-y divide-line rounded-lg border border-line">
        {clips.map((clip) => (
          <VariableClip key={clip.uuid} clip={clip} />
        ))}
      </ul>
      {missing.length > 0 && (
        <div>
          <Button size="sm" disabled={make.isPending} onClick={() => make.mutate()}>
            {text.make(missing.length)}
          </Button>
        </div>
      )}
    </section>
  )
}

function useRefresh() {
  const { project } = useProject()
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: clipsQuery(project.uuid).queryKey })
}

function VariableClip({ clip }: { clip: Clip }) {
  const refresh = useRefresh()
  const progress = useLive((s) => s.copies[clip.uuid])
  const remove = useMutation({
    mutationFn: () => removeConstantRateCopy(clip.uuid),
    onSettled: () => {
      useLive.getState().setCopy(clip.uuid, null)
      return refresh()
    },
    onError: (error) => toast.error(text.notRemoved, { description: messageOf(error) }),
  })

  const copy = clip.constant_rate_copy
  const making = copy?.status === 'processing'
  const state = {
    processing: progress === undefined ? text.waiting : text.making(percent(progress)),
    ready: text.ready(bytes(copy?.size_bytes ?? 0)),
    failed: text.failed(copy?.error ?? ''),
  }

  return (
    <li className="flex items-center gap-2 py-1.5 pr-2 pl-3" data-copy={copy?.status ?? 'none'}>
      <div className="min-w-0 flex-1">
        <p className="truncate text-sm">{clip.name}</p>
        {copy && (
          <p className={`text-xs ${copy.status === 'failed' ? 'text-danger' : 'text-muted'}`}>{state[copy.status]}</p>
        )}
        {making && <Progress className="mt-1" value={progress ?? null} label={text.progress(clip.name)} />}
      </div>
      <Badge>{text.badge}</Badge>
      {copy && (
        <IconButton
          label={making ? text.cancel(clip.name) : text.remove(clip.name)}
          disabled={remove.isPending}
          onClick={() => remove.mutate()}
        >
          {making ? <X size={16} /> : <Trash2 size={16} />}
        </IconButton>
      )}
    </li>
  )
}
