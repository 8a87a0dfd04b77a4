import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Bell, BellRing } from 'lucide-react'
import { toast } from 'sonner'
import { exportWhenDone, runsQuery } from '../../api/analysis'
import { messageOf } from '../../api/client'
import { analysisText as text } from '../../text/editor/analysis'
import { exportText } from '../../text/editor/export'
import { Button } from '../../ui/Button'
import { Switch } from '../../ui/Switch'
import { toExportSettings, useExportOptions } from '../state/exportOptions'
import { notificationsSupported, useNotifications } from '../state/notifications'
import { useProject } from '../state/contexts'
import { useOpenRun } from './useOpenRun'

/** The choices about the end of an analysis: create an export, and notify. */
export function WhenDone() {
  const { project } = useProject()
  const run = useOpenRun()
  const queryClient = useQueryClient()
  const options = useExportOptions((s) => s.project)
  const change = useMutation({
    mutationFn: ({ uuid, on }: { uuid: string; on: boolean }) =>
      exportWhenDone(
        project.uuid,
        uuid,
        on ? { name: exportText.cutName(project.name), settings: toExportSettings(options) } : null,
      ),
    onSettled: () => queryClient.invalidateQueries({ queryKey: runsQuery(project.uuid).queryKey }),
    onError: (error) => toast.error(messageOf(error)),
  })

  const checked = change.isPending ? change.variables.on : run?.export_when_done != null
  return (
    <div className="flex flex-col gap-3">
      <Switch
        label={text.exportWhenDone}
        hint={text.exportWhenDoneHint}
        checked={checked}
        disabled={!run || change.isPending}
        onChange={(on) => run && change.mutate({ uuid: run.uuid, on })}
      />
      {notificationsSupported() && <Notify />}
    </div>
  )
}

function Notify() {
  const { state, allow, stop } = useNotifications()
  if (state === 'blocked') return <p className="text-xs text-faint">{text.notifyBlocked}</p>
  return (
    <Button
      size="sm"
      variant="quiet"
      className="self-start"
      aria-pressed={state === 'on'}
      onClick={() => (state === 'on' ? stop() : void allow())}
    >
      {state === 'on' ? <BellRing size={14} aria-hidden /> : <Bell size={14} aria-hidden />}{' '}
      {state === 'on' ? text.notifyOn : text.notify}
    </Button>
  )
}
