import { captionsText as text } from '../../text/editor/captions'
import { SearchBar } from '../../ui/SearchBar'
import { useEditorStore } from '../state/store'
import { ReplacePanel } from '../transcript/ReplacePanel'

/** Shows the captions with a text only, and replaces the text in them. */
export function CaptionFind({ find, matches }: { find: string; matches: number }) {
  const replacement = useEditorStore((s) => s.captionReplacement)
  const { set } = useEditorStore.getState()
  const close = () => set({ findCaption: null })
  return (
    <>
      <div className="border-b border-line p-2" role="search">
        <SearchBar
          id="find-caption"
          label={text.find}
          closeLabel={text.closeFind}
          value={find}
          onChange={(findCaption) => set({ findCaption })}
          onClose={close}
          status={text.matches(matches)}
        />
      </div>
      <ReplacePanel
        find={find}
        replacement={replacement}
        onReplacement={(captionReplacement) => set({ captionReplacement })}
        where="captions"
        onClose={close}
      />
    </>
  )
}
