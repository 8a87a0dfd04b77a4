import { ChevronDown, Clapperboard, FileOutput, RectangleVertical, Share } from 'lucide-react'
import { exportText as text } from '../../text/editor/export'
import { shortsText } from '../../text/editor/shorts'
import { shellText } from '../../text/editor/shell'
import { timelinesText } from '../../text/editor/timelines'
import { Button } from '../../ui/Button'
import { Menu, MenuItem } from '../../ui/MoreMenu'
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
      <Menu
        disabled={!timelines.enabled}
        button={
          <Button variant="primary" aria-label={text.menu} className="rounded-l-none border-l-canvas/30 px-1.5">
            <ChevronDown size={14} aria-hidden />
          </Button>
        }
      >
        <MenuItem icon={Clapperboard} onSelect={video.run}>
          {text.videoItem}
        </MenuItem>
        {several && (
          <MenuItem icon={RectangleVertical} disabled={!shorts.enabled} onSelect={shorts.run}>
            {shortsText.exportAll}
          </MenuItem>
        )}
        <MenuItem icon={FileOutput} onSelect={timelines.run}>
          {timelinesText.item}
        </MenuItem>
      </Menu>
    </div>
  )
}
