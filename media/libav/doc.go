// Package libav reads and writes media. Probe inspects a recording. Ingest decodes it once and
// makes everything that editing needs. Render writes the edited video of a media.RenderPlan, and
// Prerender encodes parts of it ahead of time. Asset and Trim inspect and cut the files of the
// library. Package av has the building blocks of these calls: it opens, decodes, filters, encodes
// and writes. No other packages import go-astiav.
//
// # Files
//
// File names start with their subject: ingest_, asset_, render_ and copy_ belong to the calls of
// those names (copy_: packets that Render copies losslessly), cache_ keeps encoded chunks, audio_
// mixes, text_ and overlay_ draw.
//
// # Lifetime
//
// libav objects are C memory. Each type of this package and of av that holds some has a close
// method, which its creator calls. A frame or packet that travels through a channel belongs to the
// receiver. When a call returns, every goroutine that it started has ended.
package libav
