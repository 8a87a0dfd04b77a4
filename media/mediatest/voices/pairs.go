package voices

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// pair is two phrases that were recorded separately with the same words, by the voices of some
// languages.
type pair struct{ languages, first, second string }

// spokenTwice lists phrases that were recorded twice. Their names say so: the prompts of
// conferences exist in a version for the start ("-in") and for the end of a menu ("-out"), and
// several menus share items. A comparison of the recordings confirms it and excludes copies of one
// recording.
func spokenTwice() []pair {
	return []pair{
		{"en es fr it ru", "confbridge-dec-list-vol-in.0", "confbridge-dec-list-vol-out.0"},
		{"en es fr it ru", "confbridge-dec-talk-vol-in.0", "confbridge-dec-talk-vol-out.0"},
		{"en es fr it ru", "confbridge-inc-list-vol-in.0", "confbridge-inc-list-vol-out.0"},
		{"en es fr it ru", "confbridge-inc-talk-vol-in.0", "confbridge-inc-talk-vol-out.0"},
		{"en es fr it", "confbridge-rest-list-vol-in.0", "confbridge-rest-list-vol-out.0"},
		{"en es fr it ru", "confbridge-rest-talk-vol-in.0", "confbridge-rest-talk-vol-out.0"},
		{"en es fr it ru", "confbridge-leave-in.0", "confbridge-leave-out.0"},
		{"en es fr it", "confbridge-lock-in.0", "confbridge-lock-out.0"},
		{"en es fr", "confbridge-menu-exit-in.0", "confbridge-menu-exit-out.0"},
		{"en es fr it ru", "confbridge-mute-in.0", "confbridge-mute-out.0"},
		{"en es fr it ru", "confbridge-remove-last-in.0", "confbridge-remove-last-out.0"},
		{"en it ru", "agent-incorrect.1", "agent-user.1"},
		{"en", "conf-adminmenu-162.0", "conf-adminmenu.0"},
		{"en", "conf-adminmenu-162.3", "conf-adminmenu.3"},
		{"en", "conf-adminmenu-162.4", "conf-adminmenu-18.3"},
		{"en", "conf-adminmenu-162.5", "conf-adminmenu-18.4"},
		{"en", "conf-adminmenu-162.6", "conf-adminmenu-18.5"},
		{"en", "conf-adminmenu-18.1", "conf-adminmenu.2"},
		{"en it ru", "conf-hasleft.0", "confbridge-has-left.0"},
		{"en", "conf-invalid.1", "pbx-invalid.1"},
		{"en", "conf-lockednow.0", "confbridge-locked.0"},
		{"en it", "conf-unlockednow.0", "confbridge-unlocked.0"},
		{"en", "from-unknown-caller.0", "vm-unknown-caller.0"},
		{"en ru", "please-try-again.0", "vm-pls-try-again.0"},
		{"en", "vm-invalid-password.1", "vm-invalidpassword.1"},
		{"fr", "conf-adminmenu-162.4", "conf-adminmenu-18.4"},
		{"fr", "conf-adminmenu-162.5", "conf-adminmenu-18.5"},
		{"fr", "conf-adminmenu-162.6", "conf-adminmenu.5"},
		{"fr ru", "conf-adminmenu-18.1", "conf-adminmenu.1"},
		{"fr", "conf-adminmenu-18.2", "conf-adminmenu.2"},
		{"fr", "conf-adminmenu-18.3", "conf-adminmenu.3"},
		{"fr", "conf-lockednow.0", "confbridge-locked.0"},
		{"fr", "dir-intro-fn.1", "dir-intro.1"},
		{"fr it ru", "dir-intro-fn.2", "dir-intro.2"},
		{"fr", "from-unknown-caller.0", "vm-unknown-caller.0"},
	}
}

// id returns the name of the phrase in spokenTwice and alike.txt.
func (u Utterance) id() string { return fmt.Sprintf("%s.%d", u.Prompt, u.Part) }

// alike lists phrases that another phrase of the same voice contains: copies of one recording, and
// sentences that differ in a word. A talk without repeats must not contain both. The list comes
// from a comparison of all pairs by dynamic time warping of 12 cepstra.
//
//go:embed alike.txt
var alike string

var alikePhrases = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(alike) {
		set[strings.TrimSpace(line)] = true
	}
	return set
})

// isRepeated reports whether another phrase of the voice has nearly the same words.
func isRepeated(u Utterance) bool {
	return alikePhrases()[u.Voice+" "+u.id()] || slices.ContainsFunc(spokenTwice(), func(p pair) bool {
		return u.id() == p.first || u.id() == p.second
	})
}

// pairs returns the repeated phrases of the voice in random order. Pairs about the volume differ in
// one word, so other pairs separate them.
func (s *stage) pairs() (out [][2]Utterance) {
	found := map[string]Utterance{}
	for _, u := range s.phrases {
		found[u.id()] = u
	}
	var volume, others [][2]Utterance
	for _, p := range spokenTwice() {
		a, b := found[p.first], found[p.second]
		if a.PCM == nil || b.PCM == nil || !strings.Contains(p.languages, a.Voice[:2]) {
			continue
		}
		if strings.Contains(p.first, "-vol-") {
			volume = append(volume, [2]Utterance{a, b})
		} else {
			others = append(others, [2]Utterance{a, b})
		}
	}

	s.Shuffle(len(volume), func(i, j int) { volume[i], volume[j] = volume[j], volume[i] })
	s.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	for i := range max(len(volume), len(others)) {
		out = append(out, others[min(i, len(others)):min(i+1, len(others))]...)
		out = append(out, volume[min(i, len(volume)):min(i+1, len(volume))]...)
	}

	return out
}

func sortedKeys[T any](m map[string]T) []string {
	return slices.SortedFunc(maps.Keys(m), strings.Compare)
}
