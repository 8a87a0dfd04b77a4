// Room tone without Web Audio: an audio element that plays a loop. The loop is repeated in one file, because elements pause
// briefly at the start of each loop.

/** Length of the header of the server's WAV files, in bytes. */
const HEADER_BYTES = 44
/** Offsets in the header: its size of the file, bytes per second, and size of the audio. */
const [FILE_SIZE_AT, BYTE_RATE_AT, AUDIO_SIZE_AT] = [4, 28, 40]
/** The longest file of repeated room tone, in seconds. The element loops it. */
const LONGEST_S = 60
/** A WAV file of 16-bit mono silence at 8 kHz, of 1/40 s. */
const SILENCE = [
  'RIFF\xb4\x01\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\x90\x01\0\0',
  '\0'.repeat(400),
].join('')

/** Length of the audio of a WAV file in seconds. */
export function wavSeconds(file: ArrayBuffer): number {
  return (file.byteLength - HEADER_BYTES) / new DataView(file).getUint32(BYTE_RATE_AT, true)
}

/** Returns a WAV file that repeats the audio of another one, from any place for a number of seconds. */
export function repeatedWav(file: ArrayBuffer, seconds: number): ArrayBuffer {
  const audio = new Uint8Array(file, HEADER_BYTES)
  const times = 1 + Math.ceil(Math.min(seconds, LONGEST_S) / wavSeconds(file))
  const out = new Uint8Array(HEADER_BYTES + times * audio.length)
  out.set(new Uint8Array(file, 0, HEADER_BYTES))
  for (let i = 0; i < times; i++) out.set(audio, HEADER_BYTES + i * audio.length)
  const header = new DataView(out.buffer)
  header.setUint32(FILE_SIZE_AT, out.length - 8, true)
  header.setUint32(AUDIO_SIZE_AT, out.length - HEADER_BYTES, true)
  return out.buffer
}

/** Room tone in the form that ToneElement plays. */
export interface ToneFile {
  address: string
  loopSeconds: number
}

/** The audio element. A browser lets it play without a user action once it has played in one. */
export class ToneElement {
  private readonly audio = new Audio()
  private readonly addresses: string[] = []
  private unlocked = false

  /** Call in a user action, before the first room tone. */
  unlock(): void {
    if (this.unlocked) return
    this.unlocked = true
    this.audio.src = this.addressOf(Uint8Array.from(SILENCE, (c) => c.charCodeAt(0)).buffer)
    this.start()
  }

  /** Prepares a loop of room tone, a WAV file, that plays for a number of seconds. */
  prepare(file: ArrayBuffer, seconds: number): ToneFile {
    return { address: this.addressOf(repeatedWav(file, seconds)), loopSeconds: wavSeconds(file) }
  }

  /** Plays from a place in seconds, at a volume from 0 to 1. */
  play(tone: ToneFile, from: number, level: number): void {
    const called = performance.now()
    this.audio.loop = true
    this.audio.src = tone.address // WebKitGTK plays silence if it has loaded the address before
    this.setLevel(level)
    // WebKitGTK may play silence after a seek before this event.
    this.audio.onloadedmetadata = () => {
      this.audio.currentTime = (from + (performance.now() - called) / 1000) % tone.loopSeconds
      this.start()
    }
  }

  setLevel(level: number): void {
    this.audio.volume = level
  }

  stop(): void {
    this.audio.onloadedmetadata = null
    this.audio.pause()
  }

  /** Releases all audio. */
  close(): void {
    this.stop()
    this.audio.removeAttribute('src')
    this.audio.load()
    for (const address of this.addresses) URL.revokeObjectURL(address)
  }

  // start plays the element. An interruption by a pause or a load is not an error.
  private start(): void {
    this.audio.play().catch(() => undefined)
  }

  private addressOf(file: ArrayBuffer): string {
    const address = URL.createObjectURL(new Blob([file], { type: 'audio/wav' }))
    this.addresses.push(address)
    return address
  }
}
