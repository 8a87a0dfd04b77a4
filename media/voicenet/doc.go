// Package voicenet runs Silero VAD v5, a recurrent network that hears voice in any language. It
// needs no C library.
//
// The weights are not part of the repository. fetch.sh downloads them with a pinned checksum, and
// package convert writes them in the layout that this package computes with. A build without them
// works, but New returns ErrNoWeights.
//
// The network: https://github.com/snakers4/silero-vad (MIT, see weights/LICENSE).
package voicenet
