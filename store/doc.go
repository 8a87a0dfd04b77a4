// Package store holds the vocabulary and the data of Roughcut: its nouns, the rules about them, the
// database, the search index and the files on disk. It is the only user of bbolt and Bleve.
//
// # Words
//
//   - A clip is a recording in a project; its clip file is the uploaded original with what ingest
//     made of it.
//   - A reference is a recording that stays where it is on this machine instead of being uploaded:
//     its clip file holds only what ingest made of it. Its file is the person's, and is never
//     written or removed.
//   - A run is one analysis of a project. It owns its detected edits, caption lines and transcript;
//     the active run's are served.
//   - An edit is a cut, detected (silence, false_start, filler) or manual, or places an asset,
//     which cuts nothing. A touched one was toggled or moved by a person.
//   - An asset is an image, video or sound in a user's library; its asset file is the upload with
//     what was made of it. A placement is how an edit of type asset shows and sounds. A group is a
//     set of assets; a membership says that an asset is in it.
//   - A draft is a saved set of overrides on edits, with export settings. An export is a rendered
//     video.
//   - An import is a clip or asset whose recording is fetched from the network first; until it is
//     here, there is no file.
//   - A job is queued work on a subject: a clip, a run, an export or an asset. Whoever claims it
//     holds a lease.
//   - An anchor is a point on footage. Clip time counts from the start of a recording, project time
//     from the start of the project's ready clips laid end to end. Bounds are stored as anchors and
//     served on project time.
//   - A reservation holds the credits of one run and moves once: to charged or to released. A
//     movement is an entry of the ledger of credits; nothing else changes them.
//   - A payment is an amount that somebody owes for a plan. It is written before the payment
//     provider is asked for it and ends once, as paid or declined, together with what it was for.
//     Invoices are what it is made of.
//   - A word list is how a user's words of a language differ from the program's: those that exports
//     censor, those that are fillers.
//   - A tombstone names a file whose row is gone and which is to be removed.
//
// # Data directory
//
//	roughcut.db          the database
//	roughcut.db.before-N a copy from before the migration to schema N
//	roughcut.lock        held by the process that has the directory open
//	index/transcripts    the search index, a cache
//	media/               files by key: clips/<clip_file_id>/original, proxy.mp4, sprite.jpg, speech.s16, peaks.u8, energies.u16, keys.u32;
//	                     exports/<export_uuid>.mp4; assets/<asset_file_id>/original-N, poster-N, proxy-N, where N grows with
//	                     each replacement of the file
//	uploads/             resumable uploads that are not whole yet, by clip or asset file id
//	chunks/              encoded pieces and sound of exports by clip file, a cache that the engine writes
//	models/, outbox/     of others
//	tmp/                 emptied at every start
//	restoring/           a restore under way; what is in it does not count yet
//	roughcut.sock        of the server, for commands on the same machine
//	window.json          where the desktop window was
//
// A backup is a tar archive: backup.json, roughcut.db, media/…, models/… where asked for, and last
// manifest.json with the SHA-256 of each. Recordings that stay where they are are named in it, but
// not in it. Its view of the data is that of one reading transaction; every file gets a second name
// under tmp/ before any can be removed.
//
// # Order of writes
//
// A file is written under tmp/, flushed, renamed into media/, its folder flushed; then its row is
// written. A deletion takes the row and leaves a tombstone in one transaction, then removes the
// file, then the tombstone. So a crash leaves files without rows, never rows without files, and
// Open removes the former. Work is queued in the transaction that changes the state of its subject.
// No flush is ever left out, and no transaction waits for a file, the network or media work.
//
// # Buckets, schema 3
//
// Values are JSON with Go's field names unless said otherwise. A key of several parts has a zero
// byte between them; u64 is eight bytes big endian, time is u64 of Unix milliseconds. An index is a
// bucket "table.by_…": its key is the named parts, followed by the row's key unless it is unique;
// its value is the row's key.
//
//	meta                   schema -> u64 · secret -> 32 bytes · instance -> text · owner -> uuid · speech -> file name of the chosen speech model
//	users                  uuid -> userRow          by_email (folded, unique) · by_username (folded, unique) · by_identity (issuer, subject, unique)
//	sessions               sha256 hex -> Session    by_user
//	access_tokens          uuid -> accessTokenRow   by_hash (unique) · by_user (user, u64 age)
//	invitations            uuid -> Invitation       by_user · by_email (folded)
//	oauth_flows            sha256 hex of the state -> OAuthFlow
//	tokens                 token id -> usedToken
//	lockouts, windows      key -> lockout, window
//	accounts               user uuid -> account     by_due (time) · by_customer (unique); credits in hundredths of an AI minute
//	trials                 keyed hash of an address -> usedTrial
//	movements              u64 age -> movement      by_user
//	reservations           run uuid -> reservation  open_by_user
//	payments               uuid -> paymentRow       by_user (user, u64 age) · open (u64 age) · by_reference
//	invoices               uuid -> invoiceRow       by_user (user, u64 age) · by_reference (refunds, unique)
//	feedback               uuid -> Feedback         by_user
//	mails                  uuid -> QueuedMail       by_due (time)
//	projects               uuid -> projectRow       by_user (user, u64 age; counted)
//	clips                  uuid -> clipRow          by_project (project, u64 position) · by_file (unique) · pending (time)
//	files                  file key -> fileRow      by_owner (clip, export or asset uuid)
//	upload_parts           clip or asset file id -> partRow  by_user
//	tombstones             file key -> empty
//	jobs                   uuid -> jobRow           by_state (state, u64 age) · by_subject (unique) · by_project
//	runs                   uuid -> runRow           by_project (project, u64 age)
//	transcripts            run uuid, clip uuid -> media.Transcript on clip time, without its words
//	                       run uuid, clip uuid, u64 chunk -> chunkWords words, as packWords has them
//	evidence               run uuid -> bytes that only the pipeline understands
//	edits                  uuid -> editRow          by_project · by_run (detected) · manual (project) · by_asset (asset file id)
//	captions               uuid -> captionRow       by_run · by_clip · by_project
//	drafts                 uuid -> draftRow         by_project (project, u64 age)
//	presets, preview_presets  uuid -> presetRow, previewPresetRow  by_user (user, u64 age)
//	word_lists             user uuid, language -> WordList  by_user
//	assets                 uuid -> assetRow         by_user · listed (user, u64 age; not before the confirm; counted) · by_file (unique)
//	                                                awaiting (time) · by_source (while it is made from another one)
//	asset_groups           uuid -> groupRow         by_user (user, u64 1 when pinned, u64 age)
//	asset_memberships      group uuid, asset uuid -> membership  by_group (group, u64 age) · by_asset (asset, u64 age)
//	exports                uuid -> exportRow        by_project (project, u64 age) · by_expiry (time)
//	export_inputs          export uuid -> frozenExport, while the export is under way  by_asset (file key of a placed asset)
//	events                 project uuid, u64 id -> Event
//	event_ids              project uuid -> u64, the last id given out, also to events that are not written
//	counts                 index, its first part -> u64, how many entries of an index that is counted begin with that part
//	index_changes          u64 -> project or asset uuid  what the search index has not seen; its sequence number is the last change
package store
