package subtitle

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"roughcut/media"
)

// bracketStart is a text in brackets at the start of a row of markup, without a colon. Its groups
// are the tags before it, the text, and the tags after it.
var bracketStart = regexp.MustCompile(rowLead + `[\[(［（]\s*` +
	`(\p{L}[\p{L}\p{M}\p{N} .'’_-]{0,38}(?: \([\p{L} ]{1,20}\))?)\s*[\])］）]((?:<[^<>]*>)*)\s*`)

// turn is the mark of a change of speaker at the start of a row, after tags.
var turn = regexp.MustCompile(`(?m)^((?:<[^<>]*>|[^\S\n])*)` + turnMark + `[^\S\n]*`)

// soundVerbs are words in English descriptions of sounds that have several endings.
var soundVerbs = withEndings(`
	applaud bang bark beat beep bell blow boo breath breathe buzz chant chatter cheer chime chirp chuckle clap clatter
	click close cough crash creak croak drum echo engine exclaim exhale fade footstep gasp giggle grin groan growl grunt
	gunshot hiss honk howl hum inhale instrument knock laugh moan motor mumble murmur mutter noise open pause phone
	play rattle ring roar rumble rustle scoff scream screech shout shriek shush sigh silence sing siren slam sneeze
	snicker sniff sniffle snore sob song sound speak squeak squeal stammer stutter talk theme thud thunder tick
	translate tut vocalize wail weep whimper whir whisper whistle whoop yawn yell
`)

// soundWords are other words of descriptions.
var soundWords = wordSet(`
	applause audience audio background bleep captions cries cry crosstalk crowd crying door doors end ends explosion
	foreign inaudible indistinct instrumental intro language laughter melodies melody music musical no orchestra outro
	overlapping quiet recording redacted silent soft softly speech spoken static subtitles sung tape unclear
	unintelligible unknown video voice voices voiceover volume
	applaus beifall gelächter geräusch geräusche gesang husten hustet jubel klatschen klatscht klingelt klopfen lachen
	lacht lied melodie musik räuspern räuspert rauschen schnauben schreit schritte seufzen seufzt stille stöhnt
	telefon titelmusik unverständlich weint
	applaudissements bruit inaudible musique rire rires sanglots silence sonnerie soupir soupire soupirs toux
	aplauso aplausos canción inaudible llanto música musica ríe risa risas ruido silencio suspira suspiro suspiros tos
	applausi canzone incomprensibile risata risate rumore sospira sospiri silenzio
	música palmas riso risos ruído suspira
	applaus gelach lacht muziek stilte zucht
	aplauz brawa muzyka śmiech śmieje cisza
	аплодисменты вздох кашель музыка музыки музыкальная неразборчиво песня плач смех смеется смеётся тишина шум
	müzik alkış gülme gülüşmeler
`)

// soundSigns are in descriptions of sounds in scripts without capitals.
var soundSigns = []string{
	"音", "声", "聲", "笑", "掌", "拍手", "曲", "歌", "沈黙", "沉默", "음악", "박수", "웃음", "노래", "소리", "침묵",
	"موسيق", "تصفيق", "ضحك", "מוזיק", "מחיאות", "צחוק", "संगीत", "ताली", "तालि", "हँस", "हंस",
	"เสียง", "ดนตรี", "หัวเราะ",
}

// withEndings returns the words of a list with the endings of English verbs.
func withEndings(list string) map[string]bool {
	set := wordSet(list)
	for word := range strings.FieldsSeq(list) {
		stem, last := strings.TrimSuffix(word, "e"), word[len(word)-1:]
		for _, form := range []string{
			word + "s", word + "es", stem + "ing", stem + "ed", word + last + "ing", word + last + "ed",
		} {
			set[form] = true
		}
	}

	return set
}

// isSound reports whether a text in brackets describes a sound.
func isSound(text string) bool {
	for _, word := range strings.FieldsFunc(strings.ToLower(text), isBetweenWords) {
		if word = strings.Trim(word, ".'’-_"); soundVerbs[word] || soundWords[word] {
			return true
		}
	}

	return slices.ContainsFunc(soundSigns, func(sign string) bool {
		return strings.Contains(text, sign)
	})
}

// bracketName returns a name in brackets at the start of a row, and the row without it. ok is false
// for descriptions of sounds, and if a colon follows: nameSpeakers reads such names.
func bracketName(row string) (p namePrefix, ok bool) {
	m := bracketStart.FindStringSubmatch(row)
	if m == nil {
		return p, false
	}
	p = namePrefix{name: oneLine(m[2]), head: m[1] + m[3], rest: row[len(m[0]):]}
	hasColon := strings.HasPrefix(p.rest, ":") || strings.HasPrefix(p.rest, "：")
	hasCapitals := isCapitalized(p.name) || strings.ContainsFunc(p.name, unicode.IsNumber)
	return p, !hasColon && hasCapitals && !isRemark(p.name) && !isSound(p.name) && nameWords(p.name) <= maxNameWords
}

// bracketNames are the names in brackets at the starts of rows.
type bracketNames struct {
	spoken map[string]int    // how many texts follow each name
	last   map[string]string // the last text after each name
	alone  map[string]int    // how many cues have a name and no text after it
	named  int               // cues with a name and a text
	repeat bool              // a name comes back
}

// after returns the text after a name in row i of a cue. A name alone in its row belongs to the
// next row.
func (c cue) after(i int, rest string) string {
	text := strings.TrimSpace(squareSound.ReplaceAllString(rowText(rest), ""))
	if text == "" && i+1 < len(c.rows) {
		text = strings.TrimSpace(squareSound.ReplaceAllString(rowText(c.rows[i+1]), ""))
	}
	return text
}

// add counts the names of a cue. A cue of rolling captions that continues the text of the cue
// before adds none.
func (n *bracketNames) add(c cue) {
	isNamed := false
	for i, row := range c.rows {
		p, ok := bracketName(row)
		if !ok {
			continue
		}
		text, last := c.after(i, p.rest), n.last[p.name]
		isSame := last != "" && (strings.HasPrefix(text, last) || strings.HasPrefix(last, text))
		switch {
		case !media.IsSpoken(text):
			n.alone[p.name]++
			continue
		case !isSame:
			n.spoken[p.name]++
			n.repeat = n.repeat || n.spoken[p.name] > 1
		}

		isNamed, n.last[p.name] = true, text
	}

	if isNamed {
		n.named++
	}
}

// nameBrackets turns names in brackets before the text of cues into voices: "[Ann] so today".
//
// Brackets also hold descriptions of sounds. A text in brackets is a name if its words start with
// capitals, none of them is known from descriptions, it stands before text twice or more and more
// often than alone, and the file has no such word in small letters. If most cues start with such
// names, small letters elsewhere prove nothing, and the others need not come back.
func nameBrackets(cues []cue) {
	names := bracketNames{spoken: map[string]int{}, last: map[string]string{}, alone: map[string]int{}}
	for _, c := range cues {
		names.add(c)
	}
	if !names.repeat {
		return
	}
	inMost := 2*names.named > len(cues)
	var common map[string]bool
	if !inMost {
		common = smallWords(cues)
	}
	for _, c := range cues {
		for i, row := range c.rows {
			p, ok := bracketName(row)
			spoken := names.spoken[p.name]
			isName := inMost || (spoken > 1 && !common[strings.ToLower(p.name)])
			if ok && isName && spoken > names.alone[p.name] && media.IsSpoken(c.after(i, p.rest)) {
				c.rows[i] = p.head + "<v " + html.EscapeString(p.name) + ">" + p.rest
			}
		}
	}
}
