package interchange

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"strings"
)

// writeCSV writes start, end and name of each segment, in seconds, without a header. A timeline of
// one recording has the times of the recording, as LosslessCut reads them. With several recordings,
// each segment has the name of its recording.
func writeCSV(w *bufio.Writer, t Timeline, _ Options) error {
	out := csv.NewWriter(w)
	several := false
	for _, c := range t.Clips {
		several = several || c.Source != t.Clips[0].Source
	}
	n := 0
	for _, c := range t.Clips {
		if c.Disabled {
			continue
		}
		n++
		name := "Segment " + num(n)
		if several {
			name = t.Sources[c.Source].Name
		}
		_ = out.Write([]string{decimal(t.sourceSeconds(c.In)), decimal(t.sourceSeconds(c.Out)), name})
	}

	out.Flush()
	return out.Error()
}

// writeCutLabels writes a label of Audacity for each active cut: its span in the recordings for a
// whole timeline, otherwise its join.
func writeCutLabels(w *bufio.Writer, t Timeline, _ Options) error {
	for _, e := range t.Edits {
		if !e.Active {
			continue
		}
		start, end := t.clock.output(e.StartMS), t.clock.output(e.EndMS)
		writeLabel(w, start, end, strings.TrimSuffix(e.label()+": "+e.Reason, ": "))
	}

	return nil
}

// writeWordLabels writes a label of Audacity for each word.
func writeWordLabels(w *bufio.Writer, t Timeline, _ Options) error {
	for _, word := range t.Words {
		writeLabel(w, word.StartMS, word.EndMS, word.Text)
	}
	return nil
}

// writeLabel writes one label. A text is on one line and has no tab.
func writeLabel(w *bufio.Writer, startMS, endMS int64, text string) {
	fmt.Fprintf(w, "%d.%03d000\t%d.%03d000\t%s\n",
		startMS/1000, startMS%1000, endMS/1000, endMS%1000, strings.Join(strings.Fields(text), " "))
}
