// Package audio measures and shapes audio samples: voice activity and other sounds, pitch, energies
// and loudness, the Limiter, and room tone. It also owns speech files, the mono audio that an
// analysis reads; only they do I/O. The package uses no cgo.
package audio
