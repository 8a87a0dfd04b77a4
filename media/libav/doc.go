// Package libav reads and writes media. Probe inspects a recording. Ingest decodes it once and
// makes everything that editing needs. Render writes the edited video of a media.RenderPlan, and
// Prerender encodes parts of it ahead of time. Asset and Trim inspect and cut the files of the
// library. No other package imports go-astiav.
//
// Only openUntrusted opens input. libav gets callbacks for an open file, never a path or an
// address, and an allow-list of containers and codecs. A file that names other files (a playlist, a
// cue sheet, a movie with external references) therefore reaches nothing.
//
// # Time
//
// Clip time 0 is the earlier of the first decoded video frame and the first decoded audio sample of
// a recording. The package decodes both to measure it (see origin), so that Ingest and every later
// Render agree on it whatever the container claims. Frames are placed on the constant grid of a
// media.Rate by their own time stamps. Audio is placed by its time stamps too, on a 48 kHz stereo
// track with silence in the gaps. Nothing is placed by counting.
//
// # Files
//
// File names start with their subject: input_ opens and decodes a file, frame_ converts and filters
// frames, ingest_, asset_, render_ and copy_ belong to the calls of those names (copy_: packets
// that Render copies losslessly), cache_ keeps encoded chunks, audio_ mixes, text_ and overlay_
// draw, codec_ and output_ encode and mux, native_ wraps C.
//
// # Lifetime
//
// libav objects are C memory. Each type of this package that holds some has a close method, which
// its creator calls. A frame or packet that travels through a channel belongs to the receiver. When
// a call returns, every goroutine that it started has ended.
package libav
