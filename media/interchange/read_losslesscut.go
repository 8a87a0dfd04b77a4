package interchange

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// readLosslessCut reads the segments of a project of LosslessCut, which is JSON5. Segments that are
// not selected are disabled.
func readLosslessCut(data []byte) (Reading, error) {
	plain, err := json5(string(data))
	if err != nil {
		return Reading{}, err
	}
	if err := checkJSON([]byte(plain)); err != nil {
		return Reading{}, err
	}
	var p losslessCut
	if err := json.Unmarshal([]byte(plain), &p); err != nil {
		return Reading{}, readErrorf("The file is not a project of LosslessCut: %v.", err)
	}
	if len(p.Segments) == 0 {
		return Reading{}, readErrorf("The project of LosslessCut has no segments.")
	}
	r := Reading{FileTimes: true}
	for _, s := range p.Segments {
		c := ReadClip{FileName: lastPart(p.File), End: math.Inf(1), Disabled: s.Selected != nil && !*s.Selected}
		c.ClipUUID, c.CutUUID = s.Tags[keyRecording], s.Tags[keyEdit]
		c.Before, c.After = s.Tags[cutBefore+"_"+keyEdit], s.Tags[cutAfter+"_"+keyEdit]
		if s.Start != nil {
			c.Start = *s.Start
		}
		if s.End != nil {
			c.End = *s.End
		} else {
			c.End = maxSeconds
		}

		r.Clips = append(r.Clips, c)
	}

	return r, nil
}

// json5 returns the JSON of a JSON5 text: with quoted keys and without comments and trailing
// commas.
func json5(text string) (string, error) {
	var out strings.Builder
	depth := 0
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '"' || c == '\'':
			value, end, err := json5String(text, i)
			if err != nil {
				return "", err
			}
			out.WriteString(value)
			i = end
			continue
		case strings.HasPrefix(text[i:], "//"):
			for i < len(text) && text[i] != '\n' {
				i++
			}
			continue
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i+2:], "*/")
			if end < 0 {
				return "", readErrorf("The file has a comment without an end.")
			}
			i += end + 4
			continue
		case isWordByte(c):
			end := i
			for end < len(text) && isWordByte(text[end]) {
				end++
			}
			out.WriteString(json5Word(text[i:end], text[end:]))
			i = end
			continue
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return "", readErrorf("The file is nested more than %d levels deep.", maxDepth)
			}
		case c == '}' || c == ']':
			depth--
		}

		if c != ',' || !closesNext(text[i+1:]) {
			out.WriteByte(c)
		}
		i++
	}

	return out.String(), nil
}

// isWordByte reports whether a byte is part of a name or a number.
func isWordByte(c byte) bool {
	return (c|0x20 >= 'a' && c|0x20 <= 'z') || (c >= '0' && c <= '9') || strings.IndexByte("_$.+-", c) >= 0
}

// json5Word returns a name in quotes before a colon, otherwise the word as a value of JSON.
func json5Word(word, rest string) string {
	if strings.HasPrefix(strings.TrimLeft(rest, " \t\r\n"), ":") {
		return strconv.Quote(word)
	}
	word = strings.TrimPrefix(word, "+")
	if strings.HasPrefix(word, ".") {
		word = "0" + word
	}
	return strings.TrimSuffix(word, ".")
}

// closesNext reports whether the next token closes an object or a list.
func closesNext(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\r\n")
	return rest != "" && (rest[0] == '}' || rest[0] == ']')
}

// json5String returns the string that starts at i as a string of JSON, and the position after it.
func json5String(text string, i int) (value string, end int, err error) {
	quote := text[i]
	var out strings.Builder
	out.WriteByte('"')
	for i++; i < len(text); i++ {
		switch c := text[i]; {
		case c == quote:
			out.WriteByte('"')
			return out.String(), i + 1, nil
		case c == '\\' && i+1 < len(text):
			i++
			if text[i] != '\'' { // an escape that JSON lacks
				out.WriteByte('\\')
			}
			out.WriteByte(text[i])
		case c == '"':
			out.WriteString(`\"`)
		default:
			out.WriteByte(c)
		}
	}

	return "", i, readErrorf("The file has a text without an end.")
}
