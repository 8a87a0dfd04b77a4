import { Captions, Replace, Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { toast } from 'sonner'
import type { CaptionTimes } from '../../api/captions'
import { captionsText as text } from '../../text/editor/captions'
import { Button, IconButton } from '../../ui/Button'
import { Choice } from '../../ui/Choice'
import { Confirm } from '../../ui/Confirm'
import { Dialog } from '../../ui/Dialog'
import { Select } from '../../ui/Select'
import { useCommand } from '../commands/useCommand'
import { useCaptionLines } from '../state/contexts'
import { decodeText } from '../../api/decodeText'

/** Maximum numbers of words in a line to choose from. */
const LENGTHS = Object.entries(text.lengths).map(([value, label]) => ({ value, label }))

/** Adds a line, opens the search, imports a file, and builds all lines again. */
export function CaptionTools() {
  const [add, find] = [useCommand('captionAdd'), useCommand('captionFind')]
  return (
    <div className="flex items-center gap-1 border-t border-line p-2">
      <IconButton label={add.label} keys={add.keys} disabled={!add.enabled} onClick={add.run}>
        <Captions size={16} />
      </IconButton>
      <IconButton label={find.label} keys={find.keys} disabled={!find.enabled} onClick={find.run}>
        <Replace size={16} />
      </IconButton>
      <Import />
      <Rebuild />
    </div>
  )
}

interface Chosen {
  name: string
  text: string
}

// Import reads a subtitle file and asks whose times it has.
function Import() {
  const { lines, importFile } = useCaptionLines()
  const input = useRef<HTMLInputElement>(null)
  const [chosen, setChosen] = useState<Chosen | null>(null)
  const [times, setTimes] = useState<CaptionTimes>('recording')
  const choose = async (file: File | undefined) => {
    if (!file) return
    const content = decodeText(await file.arrayBuffer())
    if (content === null) toast.error(text.importFailed, { description: text.notText })
    else setChosen({ name: file.name, text: content })
  }

  const run = () => {
    if (!chosen) return
    setChosen(null)
    void importFile(chosen.text, times).then((made) => {
      if (!made) return
      const show = made.warnings.length > 0 ? toast.warning : toast.success
      show(text.imported(made.created), { description: made.warnings.join(' ') })
    })
  }

  const options = (['recording', 'video'] as const).map((value) => ({ value, label: text.timesOf[value] }))
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".srt,.vtt,.json"
        className="sr-only"
        tabIndex={-1}
        aria-label={text.importFile}
        onChange={(e) => {
          void choose(e.target.files?.[0])
          e.target.value = ''
        }}
      />
      <IconButton label={text.importHint} onClick={() => input.current?.click()}>
        <Upload size={16} />
      </IconButton>
      <Dialog
        open={chosen !== null}
        onOpenChange={(open) => !open && setChosen(null)}
        title={text.importTitle}
        description={text.importDescription(chosen?.name ?? '', lines.length)}
      >
        <Choice label={text.times} value={times} options={options} onChange={setTimes} />
        <p className="mt-2 text-xs text-muted">{text.timesHint[times]}</p>
        <div className="mt-6 flex justify-end">
          <Button variant="primary" onClick={run}>
            {text.importNow}
          </Button>
        </div>
      </Dialog>
    </>
  )
}

// Rebuild creates the lines again with another length. It asks first if that discards edited lines.
function Rebuild() {
  const { lines, rebuild } = useCaptionLines()
  const [words, setWords] = useState('7')
  const [asking, setAsking] = useState(false)
  const [busy, setBusy] = useState(false)
  const changed = lines.filter((l) => l.text !== l.original_text).length
  const build = () => {
    setAsking(false)
    setBusy(true)
    void rebuild(Number(words)).finally(() => setBusy(false))
  }

  return (
    <>
      <Select
        className="min-w-0 flex-1"
        label={text.length}
        bare
        value={words}
        options={LENGTHS}
        onChange={(e) => setWords(e.currentTarget.value)}
      />
      <Button size="sm" disabled={busy} onClick={() => (changed > 0 ? setAsking(true) : build())}>
        {text.rebuild}
      </Button>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={text.rebuildTitle}
        yes={text.rebuild}
        harmless
        onConfirm={build}
      >
        {text.rebuildWarning(changed)}
      </Confirm>
    </>
  )
}
