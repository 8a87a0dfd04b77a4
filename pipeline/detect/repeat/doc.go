// Package repeat finds speech that a speaker says twice, from audio alone and in any language.
//
// A Meter reads the audio once and keeps a compact spectrum. Repeats compares the spectrum with
// itself by dynamic time warping (H. Sakoe, S. Chiba, 1978). All times are in milliseconds.
package repeat
