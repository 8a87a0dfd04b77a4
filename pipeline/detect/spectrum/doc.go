// Package spectrum measures the levels of audio in narrow bands. The detectors of repeated speech
// and of the edges of speech share its Meter, which reads the audio once.
package spectrum
