// Package mediatest creates test footage and measures the files that the program under test writes.
// Only tests and benchmarks import it.
//
// Talk synthesizes a talk: speech with known word times over a test pattern. Every frame carries
// its number in a bar of black and white blocks that survives scaling and encoding. FrameNumbers,
// PCM and Offsets read videos with the ffmpeg command line, so they share no code with the engine
// under test.
//
// Needs, Missing and Refused say in one line which command, package or permission of the kernel a
// test lacks. The package itself needs ffmpeg, espeak-ng, sox and python3. It caches footage in a
// folder named after a hash of everything that the footage depends on.
package mediatest
