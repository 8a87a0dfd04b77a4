import { CaptionsOff, ChevronDown } from 'lucide-react'
import { Popover, ToggleGroup } from 'radix-ui'
import { useEffect, useId, useRef, useState, type ReactNode } from 'react'
import { captionsText as text } from '../../text/editor/captions'
import { inputClass } from '../../ui/Field'
import { PopoverPanel } from '../../ui/PopoverPanel'
import { captionFrame } from '../plan/captionShown'
import { CAPTION_STYLES, withStyle, type CaptionOptions, type CaptionStyle, type Size } from '../plan/captionStyle'
import { drawCaption, loadCaptionFonts } from './drawCaption'

interface CaptionStylePickerProps {
  label: string
  /** What the video has now; the looks have its color. */
  options: CaptionOptions
  onChange: (style: CaptionStyle | null) => void
  /** The name of the choice without captions; left out if there must be a style. */
  none?: string
  /** Whether there are no captions. */
  off?: boolean
  /** The first words of the captions; a sample without them. */
  words?: readonly string[]
  hint?: ReactNode
}

const NONE = 'none'

/** Chooses a caption style from a grid that shows each of them drawn as in exports. */
export function CaptionStylePicker({ label, options, onChange, none, off, words, hint }: CaptionStylePickerProps) {
  const id = useId()
  const [open, setOpen] = useState(false)
  const chosen = CAPTION_STYLES.find((style) => style.name === options.style)
  const shown = words && words.length > 0 ? words : text.styleSample
  return (
    <div>
      <label id={`${id}-label`} htmlFor={id} className="mb-1 block text-sm font-medium">
        {label}
      </label>
      <Popover.Root modal open={open} onOpenChange={setOpen}>
        <Popover.Trigger
          id={id}
          type="button"
          aria-labelledby={`${id}-label ${id}`}
          aria-describedby={hint ? `${id}-hint` : undefined}
          className={`${inputClass} flex h-10 items-center justify-between gap-2 pr-2.5 text-left`}
        >
          <span className="truncate">{off ? none : chosen?.label}</span>
          <ChevronDown size={14} className="shrink-0 text-faint" aria-hidden />
        </Popover.Trigger>
        <PopoverPanel
          aria-label={label}
          className="max-h-(--radix-popover-content-available-height) w-[600px] max-w-[calc(100vw-16px)] overflow-y-auto p-2"
          onOpenAutoFocus={(e) => {
            e.preventDefault()
            const panel = e.currentTarget as HTMLElement
            panel.querySelector<HTMLElement>('[data-state=on]')?.focus()
          }}
        >
          <ToggleGroup.Root
            type="single"
            aria-label={label}
            value={off ? NONE : options.style}
            onValueChange={(value) => {
              if (value) onChange(value === NONE ? null : (value as CaptionStyle))
              setOpen(false)
            }}
            className="grid grid-cols-2 gap-1 sm:grid-cols-5"
          >
            {none !== undefined && (
              <Look value={NONE} label={none}>
                <CaptionsOff size={20} className="text-faint" aria-hidden />
              </Look>
            )}
            {CAPTION_STYLES.map((style) => (
              <Look key={style.name} value={style.name} label={style.label} description={style.description}>
                <Swatch options={withStyle(options, style.name)} words={shown} />
              </Look>
            ))}
          </ToggleGroup.Root>
        </PopoverPanel>
      </Popover.Root>
      {hint && (
        <p id={`${id}-hint`} className="mt-1 text-xs text-faint">
          {hint}
        </p>
      )}
    </div>
  )
}

interface LookProps {
  value: string
  label: string
  description?: string
  children: ReactNode
}

function Look({ value, label, description, children }: LookProps) {
  return (
    <ToggleGroup.Item
      value={value}
      aria-label={label}
      title={description}
      className="flex min-w-0 flex-col gap-1 rounded-md p-1 text-left transition-colors hover:bg-hover data-[state=on]:bg-hover data-[state=on]:font-semibold data-[state=on]:shadow-[inset_0_0_0_2px_var(--accent)]"
    >
      <span className="flex h-16 w-full items-center justify-center overflow-hidden rounded-sm border border-line">
        {children}
      </span>
      <span className="truncate px-0.5 text-xs">{label}</span>
    </ToggleGroup.Item>
  )
}

/** The frame of a swatch, in pixels. */
const FRAME: Size = { width: 432, height: 256 }
/** The font size of a swatch for a style of scale 1, in pixels of a frame whose short side is 1080. */
const FONT_SIZE = 230
/** The word that is spoken in swatches. */
const SPOKEN = 1

// Swatch draws words in a style.
function Swatch({ options, words }: { options: CaptionOptions; words: readonly string[] }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const { style, color, position, font } = options
  const line = words.join('')
  useEffect(() => {
    let current = true
    const design = CAPTION_STYLES.find((s) => s.name === style)!
    const draw = () => {
      const ctx = canvas.current?.getContext('2d')
      if (!ctx || !current) return
      const { clientWidth, clientHeight } = ctx.canvas
      ctx.canvas.width = clientWidth * devicePixelRatio
      ctx.canvas.height = clientHeight * devicePixelRatio
      const scale = ctx.canvas.width / FRAME.width
      ctx.setTransform(scale, 0, 0, scale, 0, 0)
      const frame = { width: FRAME.width, height: ctx.canvas.height / scale }
      const drawn = { style, color, position, font, font_size: FONT_SIZE * design.scale }
      drawCaption(ctx, captionFrame(style, line, words, Math.min(SPOKEN, words.length - 1)), drawn, frame)
    }

    draw()
    void loadCaptionFonts(design.font).then(draw)
    return () => {
      current = false
    }
  }, [style, color, position, font, line, words])

  return (
    <canvas
      ref={canvas}
      aria-hidden
      data-swatch={style}
      className="burned-in size-full bg-[linear-gradient(160deg,#5b7d92,#22313d)]"
    />
  )
}
