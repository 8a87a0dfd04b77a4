// Package director places assets of a library where a recording mentions them. It is pure: the same
// words, assets and notes give the same placements.
//
// Placement has two steps. Find compares the transcript with the texts of assets; a Mention is a
// match, with a confidence. Place selects mentions for the current cuts, which may have changed
// since: placements are few, keep a distance from each other, and neither cross a cut nor cover the
// start of the video.
//
// # Notes
//
// Users can add notes in simple English. ParseNotes reads them clause by clause; a clause ends at a
// full stop, comma, semicolon, new line or "but":
//
//   - "no assets", "nothing": place nothing.
//   - "no music", "without videos", "no pictures": place no assets of that kind. "only images":
//     place only assets of that kind.
//   - "only the group Coffee", "only 'Espresso'", "no logos": place only, or never, the assets with
//     such a name, tag or group.
//   - "at most 3", "3 images", "a few", "many": how many to place.
//   - "only in the first minute", "in the last 30 seconds", "not in the first minute", "after the
//     first 2 minutes": where to place them in the edited video.
//   - "full screen", "cutaway", "overlay", "in the top right corner": how to show them. The
//     instructions of groups use the same words.
//
// The words of the notes also raise the confidence of assets whose texts contain them.
package director
