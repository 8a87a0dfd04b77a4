// Package search finds words in transcripts and assets with a Bleve index.
//
// # Nouns
//
//   - A Source is the data that the index covers. It numbers its changes.
//   - A subject is a project or an asset: the unit that the index replaces after a change.
//   - A Document is one unit of text that can be found: an asset, or a Window of a transcript.
//   - A Window is a range of WindowWords words of a transcript. Windows overlap, so that words that
//     are close together share at least one window.
//   - A Match is a document that a query found, which can mark the words in its text.
//   - The lexicon splits texts into words and reduces words to stems.
//
// # The index is a cache
//
// One goroutine owns the index. It opens the index, follows the changes of the source, and replaces
// the index when it is damaged, incomplete or built from another database. Searches answer while
// the index catches up with changes, and fail with ErrBuilding while it is built from nothing.
//
// # Terms
//
// Each term begins with a key of its user, so that a search reads only that user's terms. A
// document records which terms it holds, but not how often or where. To mark a match, the caller
// reads the text again and asks the match for the spans.
package search
