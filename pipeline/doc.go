// Package pipeline turns queued jobs into results. A Pool of bounded size claims a job from the
// store, loads one input value, computes, and commits one result value. Between these two visits to
// the store, a job writes only its progress. There are two exceptions: an analysis stores the
// evidence of silences early, for previews, and searches the library for assets to place; an export
// stores the faces that it finds, for later exports.
//
// There are eight kinds of jobs:
//
//   - import and asset import download a recording or asset through package fetch (import.go)
//   - clip makes the proxy, sprite sheet, waveform and speech audio of a recording (clip.go)
//   - tiles makes the sprite sheet of a recording that browsers play (clip_tiles.go)
//   - constant rate encodes a recording with a variable frame rate for other editors
//     (clip_constantrate.go)
//   - asset trims an asset and makes its poster and proxy (asset.go)
//   - analysis turns speech into a transcript, proposed edits, caption lines and asset placements
//     (analysis_job.go, asset_placement.go)
//   - export renders the edited video (export.go)
//
// Besides jobs, the pool pre-renders the next export of edited projects while it is idle
// (export_prerender.go) and periodically expires exports and renews subscriptions (sweep.go). The
// command line runs an analysis without a store: see MeasureVoice and Analysis.
//
// Each job ends in exactly one of the store's Finish, Fail and Release methods, or the store
// recovers it at the next start. This holds for success, errors, cancellation, shutdown and
// crashes.
package pipeline
