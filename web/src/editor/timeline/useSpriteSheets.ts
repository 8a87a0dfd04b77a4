import { useEffect, useMemo, useState } from 'react'
import { useMedia } from '../state/contexts'

/** The sprite sheet of each clip; null until it is loaded. */
export function useSpriteSheets(): (HTMLImageElement | null)[] {
  const { proxies } = useMedia()
  const [loaded, setLoaded] = useState<ReadonlyMap<string, HTMLImageElement>>(new Map())
  const urls = proxies.map((p) => p?.sprite?.url ?? null)
  const key = urls.join('\n')
  useEffect(() => {
    for (const url of key.split('\n').filter(Boolean)) {
      const image = new Image()
      image.onload = () => setLoaded((map) => new Map(map).set(url, image))
      image.src = url
    }
  }, [key])

  // eslint-disable-next-line react-hooks/exhaustive-deps -- key changes with the addresses
  return useMemo(() => urls.map((url) => (url ? (loaded.get(url) ?? null) : null)), [key, loaded])
}
