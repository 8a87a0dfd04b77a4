// Package repeat finds speech that a speaker says twice, from audio alone and in any language.
//
// Find compares the spectrum of a recording with itself by dynamic time warping (H. Sakoe and
// S. Chiba, 1978). All times are in milliseconds.
package repeat
