// Package libav reads and writes media: Probe looks at a recording, Ingest makes in one decode pass
// everything that editing it needs, Render writes the edited video of a media.RenderPlan, Asset and Trim
// look at and cut the files of the library. It is the only importer of go-astiav.
//
// Every input is opened by openUntrusted and by nothing else: libav sees an open file through
// callbacks, never a path or an address, and only the containers and codecs of an allow-list. A
// file that names other files (a playlist, a cue sheet, a movie with external references) can
// therefore reach nothing.
//
// # Time
//
// Clip time 0 is the earlier of the first decoded picture and the first decoded sound of a
// recording. It is measured by decoding both (see origin), so that Ingest and every later Render
// agree on it whatever the container claims. Pictures are put on the constant grid of a media.Rate
// by their own time stamps; sound is put at its own time stamps too, on a 48 kHz stereo track, with
// silence in its gaps. Nothing is placed by counting.
//
// # Lifetime
//
// libav objects are C memory. Each type of this package that holds some has a close method which
// its maker calls, and each frame or packet that travels through a channel belongs to the receiver.
// When a call returns, every goroutine that it started has ended.
package libav
