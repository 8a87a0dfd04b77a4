/** Data types of a drag: the asset that was taken hold of, and all that come along, one a line. */
export const ASSET_DRAG = 'application/x-roughcut-asset'
export const ASSETS_DRAG = 'application/x-roughcut-assets'
