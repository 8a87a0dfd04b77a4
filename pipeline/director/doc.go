// Package director places assets of a library where a talk speaks of them. It is pure: the same
// words, assets and notes give the same placements.
//
// It works in two steps. Find compares what is said with what is written about assets; a Mention is
// a place where the two meet, with how sure that is. Place chooses among mentions, for cuts that
// may have changed since: none crosses a cut or lies over the start of the talk, they keep their
// distance, and there are few of them.
//
// # Notes
//
// A person can say in a few English words what is wished. Notes are read clause by clause (up to a
// full stop, comma, semicolon, new line or "but"):
//
//   - "no assets", "nothing": nothing is placed.
//   - "no music", "without videos", "no pictures": no assets of that kind. "only images": no
//     others.
//   - "only the group Coffee", "only 'Espresso'", "no logos": assets alone, or not at all, that
//     have such a name, tag or group.
//   - "at most 3", "3 images", "a few", "many": how many.
//   - "only in the first minute", "in the last 30 seconds", "not in the first minute", "after the
//     first 2 minutes": where, on the edited video.
//   - "full screen", "cutaway", "overlay", "in the top right corner": how they show. Instructions
//     of groups say it in the same words.
//
// Whatever else notes say makes assets likelier that are described in the same words.
package director
