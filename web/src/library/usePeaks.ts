import { queryOptions, useQuery } from '@tanstack/react-query'
import { assetURLQuery, type Asset } from '../api/assets'

/** The number of bars of a waveform. */
const BARS = 480

/** The size in bytes of the largest file that the browser computes a waveform for. */
const MOST_BYTES = 48 << 20

// The sample rate for decoding, in Hz; enough for bars.
const HZ = 8000

const peaksQuery = (asset: Asset, url: string) =>
  queryOptions({
    queryKey: ['asset-peaks', asset.uuid, asset.size_bytes],
    queryFn: async ({ signal }) => {
      const bytes = await (await fetch(url, { signal })).arrayBuffer()
      return peaksOf((await new OfflineAudioContext(1, 1, HZ).decodeAudioData(bytes)).getChannelData(0), BARS)
    },
    staleTime: Infinity,
    gcTime: 60_000,
    retry: false,
  })

/** Returns the loudest sample of each bar relative to the loudest of all, from 0 to 1. */
export function peaksOf(samples: Float32Array, bars: number): number[] {
  const peaks = Array.from({ length: bars }, (_, i) => {
    let peak = 0
    const end = Math.floor(((i + 1) * samples.length) / bars)
    for (let at = Math.floor((i * samples.length) / bars); at < end; at++)
      peak = Math.max(peak, Math.abs(samples[at] ?? 0))
    return peak
  })

  const loudest = Math.max(...peaks)
  return loudest > 0 ? peaks.map((p) => p / loudest) : peaks
}

/** Returns the waveform of an asset's audio. It is undefined while loading, for images, and for large files. */
export function usePeaks(asset: Asset): number[] | undefined {
  const wanted = asset.kind !== 'image' && asset.size_bytes <= MOST_BYTES
  const url = useQuery({ ...assetURLQuery(asset), enabled: wanted }).data?.url
  return useQuery({ ...peaksQuery(asset, url ?? ''), enabled: url !== undefined }).data
}
