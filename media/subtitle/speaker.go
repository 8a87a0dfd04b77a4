package subtitle

import (
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// rowLead starts a row of markup before its text: tags, and a dash or the mark of a change of
// speaker, as in dialogs. Its group is the tags.
const (
	rowLead  = `^((?:<[^<>]*>|\s)*)(?:[-–—]\s*|` + turnMark + `\s*)?`
	turnMark = `(?:(?:>|&gt;|＞){2,3}|≫)`
)

// nameStart is a name and a colon at the start of a row of markup. Its groups are the tags before
// it, the name, and the tags after it. A dash or two arrows may stand before the name, as in
// dialogs, brackets around it, and a role in brackets after it. A space follows a colon of Latin
// script: "10:30" has no name.
var nameStart = regexp.MustCompile(rowLead +
	`[\[(]?(\p{L}[\p{L}\p{M}\p{N} .'’_-]{0,38}(?: \([\p{L} ]{1,20}\))?)[\])]?\s*` +
	`(?::((?:<[^<>]*>)*)(?:\s+|$)|：((?:<[^<>]*>)*)\s*)`)

// anyStart is other text and a colon at the start of a row of markup, with the groups of nameStart.
// Programs for meetings write the name that a person entered, such as "Müller, Anna | ACME", an
// email address or a phone number. Such a text is a name only if it repeats.
var anyStart = regexp.MustCompile(rowLead +
	`((?:[^<>&;:：!?…"“”]|&#?\w+;|& )+)` + `(?::((?:<[^<>]*>)*)(?:\s+|$)|：((?:<[^<>]*>)*)\s*)`)

const (
	maxNameWords  = 4  // without particles
	maxLongWords  = 8  // of a name that most cues have
	leastLong     = 3  // cues with such a name
	maxNameRunes  = 80 // more is a sentence
	leastOfNumber = 6  // digits of a phone number
)

// notNames start a remark and not a person's words, alone or before a number, as in "Step 2: ...".
var notNames = wordSet(`
	advice agenda also and answer attention but caution chapter conclusion danger disclaimer
	edit example examples exercise fact finally first goal hint however idea important lesson meaning
	namely no note notes number objective option or part point problem ps question quote reason
	remember reminder result rule second section so solution source spoiler step steps summary task
	then therefore third tip tips title todo topic update verse warning yes
	achtung anmerkung antwort aufgabe beispiel ergebnis fazit frage grund hinweis kapitel merke
	problem regel schritt teil tipp wichtig zusammenfassung
	astuce chapitre conseil important question remarque règle réponse résultat étape
	capítulo consejo ejemplo importante nota paso pregunta regla respuesta resultado
	aviso capitolo esempio passo domanda risposta nota pergunta resposta exemplo passo dica
	вопрос ответ внимание пример примечание совет шаг важно
	注 注意 例 例えば 質問 答え 回答 問題 提示 备注 備考 重要
`)

// particles are the parts of names that start with a small letter.
var particles = wordSet("af al ap av bin da das de del della den der di do dos du e el ibn la le van von y zu")

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

// namePrefix is a name before a colon at the start of a row.
type namePrefix struct {
	name    string
	head    string // the tags before and after it
	rest    string // of the row
	isOther bool   // it has characters that few names have
	isLong  bool   // it has more words than most names
}

// prefixOf returns the prefix of a row that may be a name: at most maxNameWords of letters, maybe
// with a number, as in "Speaker 1", or other text that is a name if it repeats.
func prefixOf(row string) (p namePrefix, ok bool) {
	if m := nameStart.FindStringSubmatch(row); m != nil {
		name, role, _ := strings.Cut(m[2], " (")
		if isRemark(name) {
			return p, false
		}
		if name = oneLine(name); role != "" {
			name += " (" + role
		}
		p = namePrefix{name: name, head: m[1] + m[3] + m[4], rest: row[len(m[0]):]}
		p.isLong = nameWords(name) > maxNameWords
		return p, nameWords(name) <= maxLongWords
	}

	m := anyStart.FindStringSubmatch(row)
	if m == nil {
		return p, false
	}
	p = namePrefix{
		name: oneLine(html.UnescapeString(m[2])), head: m[1] + m[3] + m[4], rest: row[len(m[0]):], isOther: true,
	}
	count := nameWords(p.name)
	p.isLong = count > maxNameWords
	fields := strings.FieldsFunc(strings.ToLower(p.name), isBetweenWords)
	isText := len(fields) == 0 || notNames[fields[0]] || utf8.RuneCountInString(p.name) > maxNameRunes
	return p, !isText && count <= maxLongWords && (count > 0 || isPhoneNumber(p.name))
}

// isRemark reports whether a text starts a remark: alone, or before a number.
func isRemark(text string) bool {
	words := strings.Fields(text)
	return notNames[strings.ToLower(strings.Trim(words[0], "."))] && isNumbered(words[1:])
}

// isBetweenWords reports whether a character separates the words of a name.
func isBetweenWords(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",/|&+#()[]", r) }

// nameWords counts the words of a name that have letters, without particles.
func nameWords(name string) (n int) {
	for _, word := range strings.FieldsFunc(name, isBetweenWords) {
		if !particles[word] && strings.ContainsFunc(word, unicode.IsLetter) {
			n++
		}
	}

	return n
}

func isPhoneNumber(name string) bool {
	digits := 0
	for _, r := range name {
		switch {
		case unicode.IsDigit(r):
			digits++
		case !strings.ContainsRune("+-–()/*. ", r):
			return false
		}
	}

	return digits >= leastOfNumber
}

func isNumbered(words []string) bool {
	for _, w := range words {
		if strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsNumber(r) && r != '.' }) {
			return len(words) == 1 && notNames[strings.ToLower(w)]
		}
	}

	return true
}

// isCapitalized reports whether every word starts like a name, where the script has capitals.
func isCapitalized(name string) bool {
	for _, word := range strings.FieldsFunc(name, isBetweenWords) {
		r, _ := utf8.DecodeRuneInString(word)
		isSmall := unicode.IsLower(r) && !strings.ContainsFunc(word, unicode.IsUpper) && !strings.Contains(word, "@")
		if isSmall && !particles[word] {
			return false
		}
	}

	return true
}

// nameSpeakers turns the names before the text of cues into voices, so that they are not read as
// spoken words.
//
// A colon alone proves nothing: "The result: it works" is a sentence. A file names its speakers if
// most of its cues start with such a prefix. In other files, a prefix is a name if two cues or more
// have it, its words start with capitals, and the file has no such word in small letters.
//
// Text with characters that few names have, such as a comma, is a name only if it repeats.
func nameSpeakers(cues []cue) {
	count := map[string]int{}
	prefixes := make([]map[string]namePrefix, len(cues))
	for i, c := range cues {
		prefixes[i] = map[string]namePrefix{}
		for _, row := range c.rows {
			if p, ok := prefixOf(row); ok {
				prefixes[i][p.name] = p
			}
		}

		for name := range prefixes[i] {
			count[name]++
		}
	}

	repeats := func(p namePrefix) bool {
		return count[p.name] >= leastLong || (count[p.name] > 1 && !p.isLong)
	}
	named := 0
	for _, seen := range prefixes {
		for _, p := range seen {
			if isUsual := !p.isOther && !p.isLong; isUsual || repeats(p) {
				named++
				break
			}
		}
	}

	if named < 2 {
		return
	}
	inMost := 2*named > len(cues)
	var common map[string]bool
	if !inMost {
		common = smallWords(cues)
	}
	isName := func(p namePrefix) bool {
		isCapital := isCapitalized(p.name)
		switch {
		case !repeats(p):
			return inMost && isCapital && !p.isOther && !p.isLong
		case !inMost:
			return isCapital && !p.isLong && !common[strings.ToLower(p.name)]
		case p.isLong || strings.Contains(p.name, ","):
			return isCapital
		}

		return true
	}
	for _, c := range cues {
		for _, rows := range [][]string{c.shown, c.rows} {
			for i, row := range rows {
				if p, ok := prefixOf(row); ok && isName(p) {
					rows[i] = p.head + "<v " + html.EscapeString(p.name) + ">" + p.rest
				}
			}
		}
	}
}

// smallWords returns the words of cues that start with a small letter.
func smallWords(cues []cue) map[string]bool {
	words := map[string]bool{}
	for _, c := range cues {
		for _, row := range c.rows {
			for word := range strings.FieldsSeq(rowText(row)) {
				word = strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) })
				if r, _ := utf8.DecodeRuneInString(word); unicode.IsLower(r) {
					words[word] = true
				}
			}
		}
	}

	return words
}
