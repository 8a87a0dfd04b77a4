import { ChevronRight, Layers2, RefreshCw, VolumeX } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { AnalysisSettings } from '../../api/analysis'
import { analysisText } from '../../text/editor/analysis'
import { reviewText as text } from '../../text/editor/review'
import { MenuCheck, MenuItem, MenuLine, MoreMenu } from '../../ui/MoreMenu'
import { menuClass, menuItemClass } from '../../ui/menu'
import { useActions } from '../commands/useCommand'
import { mutes } from '../edits/cuts'
import { kindOf, kindsOf } from '../edits/kinds'
import { useAnalysisQueue } from '../state/analysisQueue'
import { useEdits, useProject } from '../state/contexts'
import { useEditorStore } from '../state/store'

/** The order of the list of cuts, choosing several cuts, and the runs. settings are the active run's. */
export function ListMenu({ settings }: { settings: AnalysisSettings }) {
  const review = useEditorStore((s) => s.review)
  const choosing = useEditorStore((s) => s.choosing)
  const { project } = useProject()
  const queued = useAnalysisQueue((s) => s.projects[project.uuid] !== undefined)
  const { set, stopChoosing } = useEditorStore.getState()
  return (
    <MoreMenu label={text.listMenu} className="phone:size-10">
      <DropdownMenu.RadioGroup
        value={review.order}
        onValueChange={(order) => set({ review: { ...review, order: order === 'time' ? 'time' : 'confidence' } })}
      >
        {(['time', 'confidence'] as const).map((order) => (
          <DropdownMenu.RadioItem key={order} value={order} className={menuItemClass}>
            <MenuCheck /> {text.orders[order]}
          </DropdownMenu.RadioItem>
        ))}
      </DropdownMenu.RadioGroup>
      <MenuLine />
      <DropdownMenu.CheckboxItem
        className={menuItemClass}
        checked={choosing}
        onCheckedChange={(on) => (on ? set({ choosing: true }) : stopChoosing())}
      >
        <MenuCheck /> {text.chooseSeveral}
      </DropdownMenu.CheckboxItem>
      <MuteKinds />
      <MenuLine />
      <MenuItem icon={Layers2} onSelect={() => set({ comparing: true })}>
        {analysisText.compareRuns}
      </MenuItem>
      <MenuItem icon={RefreshCw} disabled={queued} onSelect={() => set({ again: settings })}>
        {analysisText.findAgain}
      </MenuItem>
    </MoreMenu>
  )
}

// MuteKinds mutes all cuts of a kind, or cuts them again.
function MuteKinds() {
  const { edits } = useEdits()
  const { muteKind } = useActions()
  return (
    <DropdownMenu.Sub>
      <DropdownMenu.SubTrigger className={`${menuItemClass} data-[state=open]:bg-hover`}>
        <VolumeX size={14} aria-hidden />
        <span className="flex-1">{text.muteInstead}</span>
        <ChevronRight size={14} className="text-muted" aria-hidden />
      </DropdownMenu.SubTrigger>
      <DropdownMenu.Portal>
        <DropdownMenu.SubContent className={menuClass} collisionPadding={8}>
          {kindsOf(edits).map((kind) => {
            const silent = edits.every((e) => e.type !== kind || mutes(e))
            return (
              <DropdownMenu.CheckboxItem
                key={kind}
                className={menuItemClass}
                checked={silent}
                onCheckedChange={() => muteKind(kind, !silent)}
              >
                <MenuCheck /> {kindOf(kind).labelPlural}
              </DropdownMenu.CheckboxItem>
            )
          })}
        </DropdownMenu.SubContent>
      </DropdownMenu.Portal>
    </DropdownMenu.Sub>
  )
}
