package subtitle

import (
	"html"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// nameStart is a name and a colon at the start of a row of markup. Its groups are the tags before
// it, the name, and the tags after it. A dash or two arrows may stand before the name, as in
// dialogs, brackets around it, and a role in brackets after it. A space follows a colon of Latin
// script: "10:30" has no name.
var nameStart = regexp.MustCompile(`^((?:<[^<>]*>|\s)*)(?:[-–—]\s*|(?:>|&gt;){2}\s*)?` +
	`[\[(]?(\p{L}[\p{L}\p{M}\p{N} .'’_-]{0,38}(?: \([\p{L} ]{1,20}\))?)[\])]?\s*` +
	`(?::((?:<[^<>]*>)*)(?:\s+|$)|：((?:<[^<>]*>)*)\s*)`)

const maxNameWords = 4

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
var particles = wordSet("af al ap av bin da das de del della den der di do dos du el ibn la le van von y zu")

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

// namePrefix is a name before a colon at the start of a row.
type namePrefix struct {
	name string
	head string // the tags before and after it
	rest string // of the row
}

// prefixOf returns the prefix of a row that may be a name: at most maxNameWords of letters, maybe
// with a number, as in "Speaker 1".
func prefixOf(row string) (p namePrefix, ok bool) {
	m := nameStart.FindStringSubmatch(row)
	if m == nil {
		return p, false
	}
	name, role, _ := strings.Cut(m[2], " (")
	words := strings.Fields(name)
	if len(words) == 0 || len(words) > maxNameWords {
		return p, false
	}
	if first := strings.ToLower(strings.Trim(words[0], ".")); notNames[first] && isNumbered(words[1:]) {
		return p, false
	}
	if name = strings.Join(words, " "); role != "" {
		name += " (" + role
	}
	return namePrefix{name, m[1] + m[3] + m[4], row[len(m[0]):]}, true
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
	for word := range strings.FieldsSeq(name) {
		if r, _ := utf8.DecodeRuneInString(strings.Trim(word, "()")); unicode.IsLower(r) && !particles[word] {
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
func nameSpeakers(cues []cue) {
	count, named := map[string]int{}, 0
	for _, c := range cues {
		seen := map[string]bool{}
		for _, row := range c.rows {
			if p, ok := prefixOf(row); ok && !seen[p.name] {
				seen[p.name] = true
				count[p.name]++
			}
		}

		if len(seen) > 0 {
			named++
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
	isName := func(name string) bool {
		if inMost {
			return count[name] > 1 || isCapitalized(name)
		}
		return count[name] > 1 && isCapitalized(name) && !common[strings.ToLower(name)]
	}
	for _, c := range cues {
		for _, rows := range [][]string{c.shown, c.rows} {
			for i, row := range rows {
				if p, ok := prefixOf(row); ok && isName(p.name) {
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
