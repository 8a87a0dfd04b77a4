import { ChevronDown, Clapperboard, FileOutput, RectangleVertical, Share } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { exportText as text } from '../../text/editor/export'
import { shortsText } from '../../text/editor/shorts'
import { shellText } from '../../text/editor/shell'
import { timelinesText } from '../../text/editor/timelines'
import { Button } from '../../ui/Button'
import { menuClass, menuItemClass } from '../../ui/menu'
import { useCommand } from '../commands/useCommand'
import { useEdits, useShorts } from '../state/contexts'

/** Exports the video, or opens the menu of the other files. */
export function ExportMenu() {
  const [video, timelines] = [useCommand('export'), useCommand('timelines')]
  const shorts = useCommand('exportShorts')
  const several = useShorts().shorts.length > 1
  const { provisional } = useEdits()
  return (
    <div className="ml-1 flex">
      <Button
        variant="primary"
        className="rounded-r-none"
        disabled={!video.enabled}
        title={provisional ? shellText.exportTooEarly : undefined}
        onClick={video.run}
      >
        <Share size={14} aria-hidden /> <span className="max-md:sr-only">{text.export}</span>
      </Button>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger asChild disabled={!timelines.enabled}>
          <Button variant="primary" aria-label={text.menu} className="rounded-l-none border-l-canvas/30 px-1.5">
            <ChevronDown size={14} aria-hidden />
          </Button>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content align="end" sideOffset={6} className={menuClass}>
            <DropdownMenu.Item className={menuItemClass} onSelect={video.run}>
              <Clapperboard size={14} aria-hidden /> {text.videoItem}
            </DropdownMenu.Item>
            {several && (
              <DropdownMenu.Item className={menuItemClass} disabled={!shorts.enabled} onSelect={shorts.run}>
                <RectangleVertical size={14} aria-hidden /> {shortsText.exportAll}
              </DropdownMenu.Item>
            )}
            <DropdownMenu.Item className={menuItemClass} onSelect={timelines.run}>
              <FileOutput size={14} aria-hidden /> {timelinesText.item}
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
    </div>
  )
}
