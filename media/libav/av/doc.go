// Package av opens, decodes, filters, encodes and writes media with libav. It knows files, tracks,
// packets, frames and samples. Package libav makes its calls of these parts.
//
// Only Open and its variants for one track open input. libav gets callbacks for an open file, never
// a path or an address, and an allow-list of containers and codecs. A file that names other files
// (a playlist, a cue sheet, a movie with external references) therefore reaches nothing.
//
// # Time
//
// Clip time 0 is the earlier of the first decoded video frame and the first decoded audio sample of
// a recording. The package decodes both to measure it (see Origin), so that all calls agree on it
// whatever the container claims. Frames are placed on the constant Grid of a media.Rate by their
// own time stamps. An AudioTimeline places audio by its time stamps too, on a 48 kHz stereo track
// with silence in the gaps. Nothing is placed by counting.
package av
