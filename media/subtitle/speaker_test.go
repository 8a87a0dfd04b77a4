package subtitle

import (
	"strings"
	"testing"
)

// A name before the text of cues is the speaker and not a spoken word.
func TestNamesBeforeTheTextAreSpeakers(t *testing.T) {
	for name, c := range map[string]struct {
		list []string
		want string
	}{
		"a name twice": {
			[]string{"0 2000 Ann Example: so today", "2000 3000 and then", "3000 4000 Ann Example: we look",
				"5000 6000 on"},
			"so=Ann Example today=Ann Example and= then= we=Ann Example look=Ann Example on=",
		},
		"most cues": {
			[]string{"0 2000 Ann: so today", "2000 3000 Bob: yes", "3000 4000 well"}, "so=Ann today=Ann yes=Bob well=",
		},
		"rows": {
			[]string{"0 2000 - Ann: so|- Bob: yes", "2000 3000 - Bob: well|- Ann: now|then"},
			"so=Ann yes=Bob well=Bob now=Ann then=Ann",
		},
		"a name alone in its row": {
			[]string{"0 2000 Ann:|so today", "2000 3000 Ann:|well"}, "so=Ann today=Ann well=Ann",
		},
		"tags": {
			[]string{"0 2000 <b>Ann:</b> so", "2000 3000 <i>Ann: well</i>", "3000 4000 <v Ann>Ann: on"},
			"so=Ann well=Ann on=Ann",
		},
		"positions": {
			[]string{"0 2000 {\\an8}Ann: so", "2000 3000 {\\an2}{\\i1}Bob:{\\i0} well", "3000 4000 {\\an8}Bob: on"},
			"so=Ann well=Bob on=Bob",
		},
		"numbers": {
			[]string{"0 2000 Speaker 1: so", "2000 3000 [SPEAKER_02]: well", "3000 4000 &gt;&gt; Speaker 1: on"},
			"so=Speaker 1 well=SPEAKER_02 on=Speaker 1",
		},
		"letters": {
			[]string{"0 2000 Q: why", "2000 3000 A: because", "3000 4000 Q: so"}, "why=Q because=A so=Q",
		},
		"roles and particles": {
			[]string{"0 2000 Dr. Ann van Example (Host): so", "2000 3000 ann: hi", "3000 4000 ann: on"},
			"so=Dr. Ann van Example (Host) hi=ann on=ann",
		},
		"a wide colon": {
			[]string{"0 2000 田中：はい", "2000 3000 田中：いえ"}, "は=田中 い=田中 い=田中 え=田中",
		},
		"rolling": {
			[]string{"0 2000 Ann: so", "2000 2010 Ann: so", "2010 4000 Ann: so|today", "4000 4010 today",
				"4010 6000 today|Bob: yes", "6000 6010 Bob: yes", "6010 7000 Bob: yes|Ann: no"},
			"so=Ann today=Ann yes=Bob no=Ann",
		},
	} {
		for _, vtt := range []bool{false, true} {
			m, err := ReadTranscript(cues(vtt, c.list...))
			var got []string
			for _, w := range m.Words {
				got = append(got, w.Text+"="+w.Speaker)
			}
			if err != nil || strings.Join(got, " ") != c.want {
				t.Errorf("%s: %v\n got %s\nwant %s", name, err, strings.Join(got, " "), c.want)
			}
		}
	}
}

// A text before a colon is the speaker if it repeats, whatever characters it has.
func TestOtherTextThatRepeatsIsASpeaker(t *testing.T) {
	for _, name := range []string{
		"Müller, Anna", "Maria de la Cruz Santos", "Maria de la Cruz e Santos", "Anna Müller, PhD",
		"Dr. Müller-Lüdenscheidt, PhD", "Anna Müller | ACME", "Anna Müller/ACME", "Anna & Ben", "Anna #2", "anna@x.org",
		"+43 660 1234567", "Ann 🎙️", "Ann Example's iPhone 12 / Room 3", "Anna Müller (ACME Inc., 2)", "ann/acme",
		"Prof. Dr. Anna Maria Müller Schmidt, ACME",
	} {
		bar := strings.NewReplacer("|", "&#124;") // cues separates rows by it
		for _, written := range []string{bar.Replace(name), bar.Replace(strings.ReplaceAll(name, "&", "&amp;"))} {
			m, err := ReadTranscript(cues(true, "0 2000 "+written+": so today", "2000 3000 Bob: yes",
				"3000 4000 "+written+": we", "4000 5000 "+written+": look"))
			var got []string
			for _, w := range m.Words {
				got = append(got, w.Text+"="+w.Speaker)
			}
			want := "so=" + name + " today=" + name + " yes=Bob we=" + name + " look=" + name
			if err != nil || strings.Join(got, " ") != want {
				t.Errorf("%s: %v\n got %s\nwant %s", written, err, strings.Join(got, " "), want)
			}
		}
	}
}

// The first word starts with its cue, and the name is not in the line.
func TestNamesTakeNoTime(t *testing.T) {
	m, err := ReadTranscript(cues(true, "1000 2000 Ann: I disagree", "3000 4000 Ann:<00:00:03.500><c> well</c>"))
	const want = "~I@1000-1181 ~disagree@1181-2000 well@3500-4000"
	if got := words(m); err != nil || got != want || m.Lines[0].Text != "I disagree" {
		t.Errorf("%v, %s\n got %s\nwant %s", err, lines(m), got, want)
	}
}

// Other words before a colon are text.
func TestOtherWordsBeforeAColonStay(t *testing.T) {
	for name, list := range map[string][]string{
		"once":       {"0 2000 Ann: so today", "2000 3000 we look", "3000 4000 at it"},
		"a remark":   {"0 2000 Note: so today", "2000 3000 Note: we look", "3000 4000 Note: at it"},
		"steps":      {"0 2000 Step 1: so today", "2000 3000 Step 2: we look", "3000 4000 Step 1: at it"},
		"a sentence": {"0 2000 The result: it works", "2000 3000 My advice: try it", "3000 4000 at it"},
		"a common word": {"0 2000 Mind: so", "2000 3000 Mind: well", "3000 4000 keep it in mind", "4000 5000 on",
			"5000 6000 on"},
		"small letters": {"0 2000 the result: so", "2000 3000 the result: well", "3000 4000 a", "4000 5000 b",
			"5000 6000 c"},
		"once with a comma":     {"0 2000 Anna, Ben: so", "2000 3000 Anna / Ben: we look", "3000 4000 at it"},
		"a remark with a comma": {"0 2000 Note, Anna: so", "2000 3000 Note, Anna: well", "3000 4000 it"},
		"small letters with a comma": {"0 2000 So look, it is this: a", "2000 3000 So look, it is this: b",
			"3000 4000 c"},
		"times of the day": {"0 2000 At 10:30 we go", "2000 3000 At 10:30 we go on", "3000 4000 at 11:00"},
		"addresses":        {"0 2000 https://example.com", "2000 3000 https://example.org"},
		"a long sentence":  {"0 2000 What We All Have Learned: so", "2000 3000 What We All Have Learned: well"},
	} {
		m, err := ReadTranscript(cues(false, list...))
		if err != nil || len(m.Lines) != len(list) {
			t.Errorf("%s: %v, %s", name, err, lines(m))
			continue
		}
		for i, c := range list {
			if text := strings.SplitN(c, " ", 3)[2]; m.Lines[i].Text != text {
				t.Errorf("%s: line %d is %q, want %q", name, i+1, m.Lines[i].Text, text)
			}
		}
	}
}
