/** Data types of a drag: the uuid of the dragged asset, and the uuids of all assets that move with it, one per line. */
export const ASSET_DRAG = 'application/x-roughcut-asset'
export const ASSETS_DRAG = 'application/x-roughcut-assets'
