package pipeline

import (
	"slices"

	"roughcut/pipeline/detect"
)

// BuiltInWords are the words of a language that are censored and taken for fillers where a user has
// chosen nothing.
type BuiltInWords struct {
	Language          string // ISO 639-1
	Censored, Fillers []string
}

// WordsOf returns the words of a language that the program knows; none of a language that it does
// not.
func WordsOf(language string) BuiltInWords {
	return BuiltInWords{language, detect.ProfaneWords(language), detect.FillerWords(language)}
}

// WordLanguages returns the languages that the program knows such words of, sorted.
func WordLanguages() []string {
	list := slices.Concat(detect.ProfanityLanguages(), detect.FillerLanguages())
	slices.Sort(list)
	return slices.Compact(list)
}
