import { queryOptions, useQuery } from '@tanstack/react-query'
import { assetURLQuery, type Asset } from '../api/assets'
import { queryKeys } from '../api/keys'

/** Bars of a waveform. */
const BARS = 480

/** Files above this size, in bytes, are not fetched for a picture of their sound. */
const MOST_BYTES = 48 << 20

// Samples a second: enough for bars.
const HZ = 8000

const peaksQuery = (asset: Asset, url: string) =>
  queryOptions({
    queryKey: queryKeys.assetPeaks(asset),
    queryFn: async ({ signal }) => {
      const bytes = await (await fetch(url, { signal })).arrayBuffer()
      return peaksOf((await new OfflineAudioContext(1, 1, HZ).decodeAudioData(bytes)).getChannelData(0), BARS)
    },
    staleTime: Infinity,
    gcTime: 60_000,
    retry: false,
  })

/** The loudest sample of each bar, against the loudest of all: 0 to 1. */
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

/** The waveform of an asset's sound; undefined until it is known, and where there is none or it would take too long. */
export function usePeaks(asset: Asset): number[] | undefined {
  const wanted = asset.kind !== 'image' && asset.size_bytes <= MOST_BYTES
  const url = useQuery({ ...assetURLQuery(asset), enabled: wanted }).data?.url
  return useQuery({ ...peaksQuery(asset, url ?? ''), enabled: url !== undefined }).data
}
