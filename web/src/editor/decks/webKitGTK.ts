/** Whether this is WebKitGTK, whose media elements need other care than those of all other browsers. */
export const isWebKitGTK = () => /Linux.*AppleWebKit/.test(navigator.userAgent) && !/Chrom/.test(navigator.userAgent)
