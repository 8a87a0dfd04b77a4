import type { PreviewPreset } from '../../api/presets'

type Look = Pick<PreviewPreset, 'format' | 'background' | 'caption_style' | 'caption_size' | 'caption_position' | 'caption_color' | 'caption_length' | 'video_flip_h' | 'video_flip_v'>

const WORDS = 'Every cut tells you why it is there, always'.split(' ')
const COUNT = { short: 2, medium: 4, long: 6 }
const RATIO = { '16:9': 16 / 9, '9:16': 9 / 16, '1:1': 1 }
const PLACE = { top: 'top-[6%]', middle: 'top-1/2 -translate-y-1/2', bottom: 'bottom-[6%]' }

/** A small picture of a look: a frame of the wide recording with its bars and a caption. */
export function Frame({ look, height }: { look: Look; height: number }) {
  const ratio = RATIO[look.format]
  const width = Math.min(height * ratio, 212)
  const h = width / ratio
  // Sizes are of a picture whose short side has 1080 lines.
  const size = Math.max(3, ((Number.isNaN(look.caption_size) ? 48 : look.caption_size) * Math.min(width, h)) / 1080)
  const flip = `scale(${look.video_flip_h ? -1 : 1}, ${look.video_flip_v ? -1 : 1})`
  const words = WORDS.slice(0, COUNT[look.caption_length])
  const bold = look.caption_style === 'bold' || look.caption_style === 'karaoke'
  return (
    <span aria-hidden className="relative block shrink-0 overflow-hidden rounded-sm" style={{ width, height: h, background: look.background }}>
      <span className="absolute top-1/2 left-0 w-full overflow-hidden" style={{ height: width / (16 / 9), transform: `translateY(-50%) ${flip}`, background: 'linear-gradient(160deg, #5b7d92, #22313d)' }}>
        <span className="absolute bottom-0 left-[30%] block w-[26%] rounded-t-full" style={{ height: '46%', background: '#e6c9ae' }} />
        <span className="absolute left-[36%] block w-[14%] rounded-full" style={{ bottom: '44%', height: '30%', background: '#e6c9ae' }} />
      </span>
      <span className={`absolute inset-x-[4%] text-center leading-tight ${PLACE[look.caption_position]}`} style={{ fontSize: size, color: look.caption_color, fontWeight: bold ? 800 : 600 }}>
        <span
          style={{
            background: look.caption_style === 'boxed' ? '#000000b3' : undefined,
            padding: look.caption_style === 'boxed' ? '0.1em 0.4em' : undefined,
            textTransform: look.caption_style === 'bold' ? 'uppercase' : undefined,
            textShadow: look.caption_style === 'minimal' || look.caption_style === 'boxed' ? undefined : '0 0 0.2em #000, 0 0 0.1em #000',
          }}
        >
          {words.map((word, i) => (
            <span key={word} style={{ opacity: look.caption_style === 'karaoke' && i !== 1 ? 0.55 : 1 }}>
              {word}{' '}
            </span>
          ))}
        </span>
      </span>
    </span>
  )
}
