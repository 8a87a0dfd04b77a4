import { useQuery } from '@tanstack/react-query'
import { CircleAlert, Film, Image, Music } from 'lucide-react'
import { useEffect, useState } from 'react'
import { assetURLQuery, type Asset } from '../api/assets'
import { stopLoading } from '../ui/stopLoading'
import { AudioOutline } from './AudioOutline'

const ICONS = { image: Image, video: Film, audio: Music }

/** How long the pointer must rest on a video before it plays, in milliseconds. */
const REST_MS = 150

/** The thumbnail of an asset. Videos play without audio while the pointer rests on them. */
export function AssetThumbnail({ asset, hovered }: { asset: Asset; hovered: boolean }) {
  const Icon = asset.status === 'failed' ? CircleAlert : ICONS[asset.kind]
  const playing = useRested(hovered) && asset.kind === 'video' && asset.status === 'uploaded'
  return (
    <div className="absolute inset-0 flex items-center justify-center overflow-hidden bg-film" aria-hidden>
      {asset.poster_url ? (
        <img
          src={asset.poster_url}
          alt=""
          loading="lazy"
          decoding="async"
          draggable={false}
          className={`size-full ${asset.kind === 'image' ? 'object-contain' : 'object-cover'}`}
        />
      ) : asset.outline ? (
        <AudioOutline bars={asset.outline} className="size-full px-4 text-wave" />
      ) : asset.status === 'pending' ? (
        <div className="skeleton size-full rounded-none" />
      ) : (
        <Icon size={32} className={asset.status === 'failed' ? 'text-danger' : 'text-faint'} />
      )}
      {playing && <Moving asset={asset} />}
    </div>
  )
}

function Moving({ asset }: { asset: Asset }) {
  const address = useQuery(assetURLQuery(asset))
  const [shown, setShown] = useState(false)
  if (!address.data) return null
  return (
    <video
      ref={stopLoading}
      src={address.data.url}
      autoPlay
      muted
      loop
      playsInline
      onPlaying={() => setShown(true)}
      className={`absolute inset-0 size-full object-cover ${shown ? '' : 'opacity-0'}`}
      data-moving={shown}
    />
  )
}

function useRested(hovered: boolean): boolean {
  const [rested, setRested] = useState(false)
  useEffect(() => {
    const timer = window.setTimeout(() => setRested(hovered), hovered ? REST_MS : 0)
    return () => window.clearTimeout(timer)
  }, [hovered])

  return rested && hovered
}
