// Package store holds the domain types and the data of Roughcut: users, billing, projects, clips,
// edits, exports and assets, and the jobs that work on them. It owns the data directory with the
// database, the search index and the files. All rules about the data are here. Other packages call
// methods of [Store] and never see a transaction.
//
// Packages account and billing have the users and their subscriptions, and work in transactions
// that this package opens. Package table keeps typed rows in bbolt, and package search finds words
// with Bleve.
//
// # Nouns
//
//   - A clip is a recording in a project. Its clip file is the uploaded original with the files
//     that ingest derived from it.
//   - A linked file is a recording outside the data directory. Its clip file has derived files
//     only. Roughcut never writes or removes a linked file.
//   - A run is one analysis of a project. It owns its detected edits, caption lines and transcript.
//     A project shows the edits, lines and transcript of its active run.
//   - An edit is a cut or an asset placement. A cut is manual or detected, as the kinds of
//     media/editkinds.json say. Its action is to cut its span or to mute the audio of it. A
//     placement cuts nothing. An edit is touched after a person toggled or moved it.
//   - A take group holds the takes of one sentence in a run. Each take but the proposed one has an
//     edit that removes it. A person can choose another take.
//   - An asset is an image, video or audio file in a user's library. Its asset file is the upload
//     with the files that were derived from it. A group is a set of assets, and a membership puts
//     an asset into a group.
//   - The history of a project holds entries: what a request changed, as rows before and after. The
//     transaction notes each write of an undoable table, so that a command only names its change.
//   - A draft is a saved set of overrides on edits, with export settings.
//   - A short is a named range of a project with export settings. It holds its parts on the clips.
//   - An export is a rendered video.
//   - An import is a clip or asset whose file is downloaded first.
//   - A job is queued work on a subject: a clip, a run, an export or an asset. A worker that claims
//     it holds a lease.
//   - An anchor is a point on footage. Clip time counts from the start of a recording. Project time
//     counts from the start of the project's ready clips, end to end. Bounds are stored as anchors
//     and served in project time.
//   - A word list is a user's changes to the built-in words of a language: words to censor, and
//     filler words.
//   - A response is what a request with an Idempotency-Key got. Its retries get it again.
//   - A tombstone names a file that lost its row and must be removed.
//   - A deletion is a deleted project, clip or account that still has rows.
//
// # Data directory
//
//	roughcut.db          the database
//	roughcut.db.before-N a copy from before the migration to schema N
//	roughcut.lock        held by the process that has the directory open
//	index/transcripts    the search index, a cache
//	media/               files by key: clips/<clip_file_id>/original, proxy.mp4, sprite.jpg, speech.s16, peaks.u8,
//	                     energies.u16, keys.u32;
//	                     exports/<export_uuid>.mp4;
//	                     assets/<asset_file_id>/original-N, poster-N, proxy-N, where N grows with
//	                     each replacement of the file
//	uploads/             unfinished resumable uploads, by clip or asset file id
//	chunks/              encoded chunks and audio of exports by clip file, a cache that the render engine writes
//	models/, outbox/     of other packages
//	tmp/                 emptied at every start
//	restoring/           a restore in progress; its content does not count yet
//	roughcut.sock        of the server, for commands on the same machine
//	window.json          position of the desktop window
//	webview2/            of the desktop window on Windows
//
// A backup is a tar archive: backup.json, roughcut.db, media/…, models/… if requested, and last
// manifest.json with the SHA-256 of each. The manifest names linked files, but the archive does not
// contain them. A backup reads one snapshot of the database. Every file gets a hard link under tmp/
// before any file of the snapshot can be removed.
//
// # Order of writes
//
// A new file is written under tmp/, flushed and renamed into media/. Its folder is flushed, and
// then its row is written. A deletion replaces the row by a tombstone in one transaction, then
// removes the file, then the tombstone. A project or an account turns into a deletion in one
// transaction. Its rows go in later ones, or at the next start. A crash therefore leaves files
// without rows, but never rows without files, and Open removes the former. A job is queued in the
// transaction that changes the state of its subject. No flush is skipped. No transaction waits for
// a file, the network or media work.
//
// # Buckets, schema 16
//
// Values are JSON, with Go's field names except where a tag keeps an older name. Keys are encoded
// as package table describes: u64 is eight bytes big endian, and time is a u64 of Unix
// milliseconds. An index is a bucket "table.by_…". Its key is the parts in parentheses, followed by
// the row's key unless the index is unique. Its value is the row's key.
//
//	meta                   schema -> u64 · secret -> 32 bytes · instance -> text · owner -> uuid ·
//	                       speech -> file name of the selected speech model
//	users                  uuid -> userRow          by_email (folded, unique) · by_username (folded, unique) ·
//	                                                by_identity (issuer, subject, unique)
//	sessions               sha256 hex -> Session    by_user
//	access_tokens          uuid -> accessTokenRow   by_hash (unique) · by_user (user, u64 age)
//	invitations            uuid -> Invitation       by_user · by_email (folded)
//	oauth_flows            sha256 hex of the state -> OAuthFlow
//	tokens                 token id -> usedToken
//	lockouts, windows      key -> lockout, window
//	accounts               user uuid -> account     by_due (time) ·
//	                                                by_customer (unique); credits in hundredths of an AI minute
//	trials                 keyed hash of an address -> usedTrial
//	movements              u64 age -> movement      by_user
//	reservations           run uuid -> reservation  open_by_user · by_user
//	payments               uuid -> paymentRow       by_user (user, u64 age) · open (u64 age) · by_reference
//	invoices               uuid -> invoiceRow       by_user (user, u64 age) · by_reference (refunds, unique)
//	feedback               uuid -> Feedback         by_user
//	mails                  uuid -> QueuedMail       by_due (time)
//	projects               uuid -> projectRow       by_user (user, u64 age; counted)
//	deletions              uuid -> deletion
//	duplications           clip uuid -> duplication
//	clips                  uuid -> clipRow          by_project (project, u64 position) · by_file ·
//	                                                pending (time) · trashed (time) ·
//	                                                trashed_by_project (project, time)
//	files                  file key -> fileRow      by_owner (clip, export or asset uuid)
//	upload_parts           clip or asset file id -> partRow  by_user
//	tombstones             file key -> empty
//	jobs                   uuid -> jobRow           by_state (state, u64 age) · by_subject (unique) · by_project
//	runs                   uuid -> runRow           by_project (project, u64 age)
//	transcripts            run uuid, clip uuid -> media.Transcript on clip time, without its words
//	                       run uuid, clip uuid, u64 chunk -> chunkWords words, as packWords has them
//	speakers               run uuid, clip uuid -> []speakerTurn; missing without speakers
//	evidence               run uuid -> bytes in a format of the pipeline
//	edits                  uuid -> editRow          by_project · by_run (detected) · manual (project) ·
//	                                                by_clip (clip, run; on one clip) · across (project; the others) ·
//	                                                by_asset (asset file id) · trimmed (project) ·
//	                                                copied (edit)
//	take_groups            run uuid, group id -> takeGroupRow  by_run · by_project
//	captions               uuid -> captionRow       by_run · by_clip (clip, run) · by_project
//	drafts                 uuid -> draftRow         by_project (project, u64 age)
//	draft_contents         draft uuid -> draftContent  by_project · across (project; with an override whose
//	                                                bounds are not on one clip)
//	markers                uuid -> markerRow        by_project
//	shorts                 uuid -> shortRow         by_project
//	presets, preview_presets  uuid -> Preset, PreviewPreset  by_user (user, u64 age)
//	word_lists             user uuid, language -> WordList  by_user
//	account_settings       user uuid -> accountSettingsRow
//	assets                 uuid -> assetRow         by_user · listed (user, u64 age; after the confirm; counted) ·
//	                                                by_file (unique)
//	                                                awaiting (time) · by_source (pending copies)
//	asset_groups           uuid -> groupRow         by_user (user, u64 1 when pinned, u64 age)
//	asset_memberships      group uuid, asset uuid -> membership  by_group (group, u64 age) · by_asset (asset, u64 age)
//	responses              user uuid, Idempotency-Key -> Response  by_user (user, time; counted)
//	exports                uuid -> exportRow        by_project (project, u64 age) · by_expiry (time) ·
//	                                                waiting (project, u64 age)
//	export_inputs          export uuid -> frozenExport, until the export ends  by_asset (file key of a placed asset)
//	events                 project uuid, u64 id -> Event
//	event_ids              project uuid -> u64, at least the highest id in use, also of events that are not stored
//	counts                 index, its first part -> u64, number of entries of a counted index with that first part
//	                       table, user uuid -> u64, bytes of the rows of a user
//	index_changes          u64 -> project or asset uuid  changes that the search index lacks;
//	                       its sequence number is the last change
package store
