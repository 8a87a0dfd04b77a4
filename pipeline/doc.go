// Package pipeline turns queued jobs into results. A Pool of bounded size claims a job from the
// store, loads one input value, computes, and commits one result value; between those two visits to
// the store nothing is read or written there but progress.
//
// Four kinds of job exist, one a file: importer.go fetches a recording from the network (package
// fetch knows how), clip.go makes what the editor needs of a recording (proxy, sprite sheet, speech
// sound, waveform), analyze.go turns speech into a transcript and proposed cuts, export.go renders
// the edited video. Analyze is also what the command line runs, without a store.
//
// Whatever ends a job - success, a fault of the file, a fault of ours, cancellation, shutdown, a
// crash - ends it in exactly one of the store's Finish, Fail and Release, or leaves it to the
// store's recovery at the next start.
package pipeline
