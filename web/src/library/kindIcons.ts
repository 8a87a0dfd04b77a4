import { AudioLines, Film, Image } from 'lucide-react'

/** The icon of each kind of assets. */
export const KIND_ICONS = { image: Image, video: Film, audio: AudioLines }
