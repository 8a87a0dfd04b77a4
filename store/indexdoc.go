package store

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/document"
	indexapi "github.com/blevesearch/bleve_index_api"
	"github.com/google/uuid"

	"roughcut/media"
)

// Transcripts are indexed in windows of so many words, of which so many are shared with the window
// before.
const (
	windowWords   = 40
	windowOverlap = 10
)

// Fields of the index's documents. Every term begins with the key of its user, so that a search
// reads nobody else's; a document says only which terms it holds, not how often or where, and a hit
// is marked by reading its words again.
const (
	fieldWord     = "word"     // of a transcript, as the lexicon takes it apart
	fieldStem     = "stem"     // of such a word, where it differs from the word
	fieldPair     = "pair"     // two words in a row, as the pairKey
	fieldLanguage = "language" // of the transcript
	// words of an asset's name, its tags, its groups and their descriptions, also without accents
	fieldAsset  = "asset"
	fieldBeside = "beside" // two words in a row there, as the pairKey
	fieldUse    = "use"    // words of what its groups say about how it is meant to be used
)

// indexFormat is part of what an index must have been built from: it changes with what the
// documents are.
const indexFormat = "/5"

// userKey is what the terms of a user begin with: the first 48 bits of the uuid, the millisecond in
// which the account was made, which hardly ever is another's too. It is short because every term
// has it; whose a hit is is looked up before it is shown.
func userKey(userUUID string) string {
	return base64.RawURLEncoding.EncodeToString(idKey(userUUID)[:6])
}

// pairKey is one of 65,536 numbers that stand for two words in a row.
func pairKey(before, after string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(before + "\x00" + after))
	return fmt.Sprintf("%04x", h.Sum32()>>16)
}

// indexDoc is what the index knows of one passage: terms by field.
type indexDoc map[string]terms

// terms are what Bleve's analysis of a field comes to; they were made before.
type terms []string

// Analyze returns the terms, whatever the text.
func (t terms) Analyze([]byte) analysis.TokenStream {
	stream := make(analysis.TokenStream, 0, len(t))
	for i, term := range t {
		stream = append(stream, &analysis.Token{Term: []byte(term), Position: i + 1})
	}
	return stream
}

func (d indexDoc) document(id string) *document.Document {
	doc := document.NewDocument(id)
	for field, list := range d {
		doc.AddField(document.NewTextFieldCustom(field, nil, nil, indexapi.IndexField|indexapi.SkipFreqNorm, list))
	}
	return doc
}

// passage is a text that is found as one: a window of a transcript, or what is written about an
// asset.
type passage struct {
	id             string // the document's
	userUUID, text string
	asset          bool
	use            string // of an asset: what its groups say about how it is meant to be used
	language       string // of a transcript
}

// document makes what the index knows of a passage.
func (l *lexicon) document(p passage) *document.Document {
	doc := indexDoc{}
	if p.asset {
		l.addAsset(doc, p)
	} else {
		l.addWindow(doc, p)
	}
	return doc.document(p.id)
}

func (l *lexicon) addWindow(doc indexDoc, p passage) {
	user := userKey(p.userUUID)
	doc[fieldLanguage] = terms{user + p.language}
	before := ""
	for _, said := range l.words(p.text) {
		doc[fieldWord] = append(doc[fieldWord], user+said.word)
		if stem := l.stemOf(p.language, p.text[said.start:said.end]); stem != "" && stem != said.word {
			doc[fieldStem] = append(doc[fieldStem], user+stem)
		}
		if before != "" {
			doc[fieldPair] = append(doc[fieldPair], user+pairKey(before, said.word))
		}
		before = said.word
	}
}

func (l *lexicon) addAsset(doc indexDoc, p passage) {
	user := userKey(p.userUUID)
	before := ""
	for _, written := range l.words(p.text) {
		doc[fieldAsset] = append(doc[fieldAsset], user+written.word)
		if plain := l.fold(written.word); plain != written.word {
			doc[fieldAsset] = append(doc[fieldAsset], user+plain)
		}
		if before != "" {
			doc[fieldBeside] = append(doc[fieldBeside], user+pairKey(before, written.word))
		}
		before = written.word
	}
	for _, written := range l.words(p.use) {
		doc[fieldUse] = append(doc[fieldUse], user+written.word)
	}
}

// passages returns what is found of a project or an asset; nothing where it is gone.
func (t *txn) passages(uuid string) ([]passage, error) {
	asset, err := assets.find(t, uuid)
	if err != nil || asset == nil {
		return t.windows(uuid)
	}
	if asset.waits() {
		return nil, nil
	}
	parts, err := t.describe(asset)
	var use []string
	for _, p := range parts {
		if p.Part == TextInstructions {
			use = append(use, p.Text)
		}
	}
	return []passage{
		{
			id:       string(idKey(uuid)),
			userUUID: asset.UserUUID,
			text:     strings.Join(foundBy(parts), writtenApart),
			asset:    true,
			use:      strings.Join(use, " "),
		},
	}, err
}

// writtenApart stands between the parts of what is written about an asset.
const writtenApart = " · "

// foundBy returns what a search finds an asset by: its name, its tags, and name and description of
// each group that it is in.
func foundBy(described []AssetText) (parts []string) {
	for _, p := range described {
		if p.Part != TextInstructions {
			parts = append(parts, p.Text)
		}
	}
	return parts
}

// windows returns the windows of a project's active run.
func (t *txn) windows(projectUUID string) ([]passage, error) {
	project, err := projects.find(t, projectUUID)
	if err != nil || project == nil || project.ActiveRunUUID == "" {
		return nil, err
	}
	line, err := t.timeline(projectUUID)
	if err != nil {
		return nil, err
	}
	var list []passage
	for _, p := range line.places {
		m, _, err := t.spoken(project.ActiveRunUUID, p.row.UUID)
		if err != nil {
			return nil, err
		}
		for from := 0; from < len(m.Words); from += chunkWords {
			text, _ := windowText(m.Words[from:min(from+windowWords, len(m.Words))])
			id := windowID{projectUUID, project.ActiveRunUUID, p.row.UUID, from}
			list = append(list, passage{id: id.String(), userUUID: project.UserUUID, text: text, language: m.Language})
			if from+windowWords >= len(m.Words) {
				break
			}
		}
	}
	return list, nil
}

// windowText returns the text of a window's words and where each of them starts in it.
func windowText(words []media.Word) (string, []int) {
	var text strings.Builder
	starts := make([]int, 0, len(words))
	before := ""
	for _, w := range words {
		word := strings.TrimSpace(w.Text)
		if text.Len() > 0 && !joined(before, word) {
			text.WriteByte(' ')
		}
		starts = append(starts, text.Len())
		text.WriteString(word)
		before = word
	}
	return text.String(), starts
}

// windowID names a window: words from number From of what a run heard in a clip.
type windowID struct {
	Project, Run, Clip string
	From               int
}

// windowIDSize is that of a window's id in the index: three uuids and four bytes big endian.
const windowIDSize = 3*16 + 4

// String returns the id as the index has it.
func (w windowID) String() string {
	id := make([]byte, 0, windowIDSize)
	for _, part := range []string{w.Project, w.Run, w.Clip} {
		id = append(id, idKey(part)...)
	}
	return string(binary.BigEndian.AppendUint32(id, uint32(w.From)))
}

// idKey is a uuid as ids in the index have it: what a project's documents begin with, and the id of
// an asset's.
func idKey(id string) []byte {
	raw, err := uuid.Parse(id)
	if err != nil {
		panic(fmt.Sprintf("store: %q is no uuid", id)) // ours all are
	}
	return raw[:]
}

// parseDocID reads the id of a document.
func parseDocID(id string) (sighting, error) {
	part := func(n int) string { return uuid.UUID([]byte(id[n*16 : n*16+16])).String() }
	switch len(id) {
	case 16:
		return sighting{asset: part(0)}, nil
	case windowIDSize:
		return sighting{window: windowID{part(0), part(1), part(2), int(binary.BigEndian.Uint32([]byte(id[48:])))}}, nil
	}
	return sighting{}, fmt.Errorf("the index holds an unknown document %q", id)
}
