// Package mediatest makes footage for tests and measures what became of it. It is used by tests and
// benchmarks only.
//
// Talk synthesises a talk: speech with known word times over a moving pattern in which every frame
// carries its number, in a bar of black and white blocks that survives scaling and encoding.
// FrameNumbers, PCM and Offsets read videos with the ffmpeg command line, so they share no code
// with what they measure.
//
// It needs ffmpeg, espeak-ng, sox and python3. Footage is kept in a cache folder of the user's,
// under a hash of all that it was made from.
package mediatest
