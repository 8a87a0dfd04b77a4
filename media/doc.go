// Package media holds the mathematics of a cut: time spans, frame rates, captions, and the
// RenderPlan. Preview, render and captions all derive from the RenderPlan. The package also
// declares the requests and results of the engines, such as IngestRequest and Info. It is pure Go:
// it uses no cgo, does no I/O, and imports no other Roughcut package.
//
// Names say which of two clocks they use:
//
//   - clip time: milliseconds, frames or samples from the start of one recording;
//   - project time: the uncut clips of a project, one after the other in display order.
//
// Frame numbers count on a constant grid with a rational Rate: frame n covers [n/rate, (n+1)/rate)
// seconds. Sample positions derive from absolute frame numbers. Durations are never summed, so
// rounding errors cannot accumulate.
//
// The package also owns the tables of kinds that store, server, CLI and UI share:
// captionstyles.json, cutoptions.json, editkinds.json, exportformats.json.
package media
