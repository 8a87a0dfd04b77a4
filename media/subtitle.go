package media

import (
	"fmt"
	"strings"
)

// SRT returns captions as a SubRip file.
func SRT(captions []Caption) string {
	var out strings.Builder
	for i, c := range captions {
		start, end := subtitleTime(c.StartMS, ","), subtitleTime(c.EndMS, ",")
		text := strings.ReplaceAll(c.Text, "-->", "→")
		fmt.Fprintf(&out, "%d\n%s --> %s\n%s\n\n", i+1, start, end, text)
	}
	return out.String()
}

// VTT returns captions as a WebVTT file.
func VTT(captions []Caption) string {
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	var out strings.Builder
	out.WriteString("WEBVTT\n\n")
	for _, c := range captions {
		start, end := subtitleTime(c.StartMS, "."), subtitleTime(c.EndMS, ".")
		fmt.Fprintf(&out, "%s --> %s\n%s\n\n", start, end, escape.Replace(c.Text))
	}
	return out.String()
}

// PlainText returns captions as plain text without times, one caption a line.
func PlainText(captions []Caption) string {
	var out strings.Builder
	for _, c := range captions {
		out.WriteString(strings.ReplaceAll(c.Text, "\n", " ") + "\n")
	}
	return out.String()
}

func subtitleTime(ms int64, point string) string {
	return fmt.Sprintf("%02d:%02d:%02d%s%03d", ms/3_600_000, ms/60_000%60, ms/1000%60, point, ms%1000)
}
