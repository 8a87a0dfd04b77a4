// Package media is the mathematics of a cut: spans of time, frame rates, what a probe found, where
// sound holds a voice, and the RenderPlan from which preview, render and captions are derived. It
// is pure Go: no cgo, no I/O, nothing of Roughcut imported.
//
// Two clocks are used throughout, and each name says which one it means:
//
//   - clip time: milliseconds (or frames, or samples) from the start of one recording;
//   - project time: the project's clips laid end to end in display order, uncut.
//
// A frame number always belongs to a constant grid on a rational Rate: frame n covers [n/rate,
// (n+1)/rate) seconds. Sample positions are derived from absolute frame numbers, never by adding up
// durations, so that fractions cannot accumulate.
package media
