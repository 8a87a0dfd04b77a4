package search

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/document"
	indexapi "github.com/blevesearch/bleve_index_api"
	"github.com/google/uuid"
)

// Size of the windows that transcripts are indexed in, in words.
const (
	WindowWords = 40
	WindowStep  = 30 // from the start of one window to the start of the next
)

// Document is one text that can be found: a window of a transcript, or an asset.
type Document struct {
	ID       ID
	UserUUID string // only this user finds it
	Text     string
	Language string // of a transcript, ISO 639-1, empty when unknown
	Usage    string // of an asset: how its groups say to use it
}

// ID names a document. Either Asset or Window is set.
type ID struct {
	Asset  string // uuid
	Window Window
}

// Window names a window of a transcript: the words from number From that a run found in a clip.
type Window struct {
	Project, Run, Clip string // uuids
	From               int
}

// windowKeySize is the size of the key of a window: three uuids and four bytes big endian.
const windowKeySize = 3*16 + 4

// Key returns the id as the index stores it. It begins with the uuid of the subject.
func (id ID) Key() string {
	if id.Asset != "" {
		return string(uuidBytes(id.Asset))
	}
	key := make([]byte, 0, windowKeySize)
	for _, part := range []string{id.Window.Project, id.Window.Run, id.Window.Clip} {
		key = append(key, uuidBytes(part)...)
	}
	return string(binary.BigEndian.AppendUint32(key, uint32(id.Window.From)))
}

// parseKey returns the id of a key.
func parseKey(key string) (ID, error) {
	part := func(n int) string { return uuid.UUID([]byte(key[n*16 : n*16+16])).String() }
	switch len(key) {
	case 16:
		return ID{Asset: part(0)}, nil
	case windowKeySize:
		return ID{Window: Window{part(0), part(1), part(2), int(binary.BigEndian.Uint32([]byte(key[48:])))}}, nil
	}

	return ID{}, fmt.Errorf("the search index has an unknown document %q", key)
}

// uuidBytes returns the 16 bytes of a uuid. It panics on any other text: all ids of the source are
// uuids.
func uuidBytes(id string) []byte {
	raw, err := uuid.Parse(id)
	if err != nil {
		panic(fmt.Sprintf("search: %q is not a uuid", id))
	}
	return raw[:]
}

// Fields of the documents in the index.
const (
	fieldWord     = "word"     // of a transcript, as the lexicon splits it
	fieldStem     = "stem"     // of such a word, when it differs from the word
	fieldPair     = "pair"     // pairKey of two consecutive words
	fieldLanguage = "language" // of the transcript
	fieldAsset    = "asset"    // words of the text of an asset, also without accents
	fieldBeside   = "beside"   // pairKey of two consecutive words of that text
	fieldUse      = "use"      // words of Document.Usage
)

// indexFormat is a part of keyInstance. It changes when the content of documents changes, so that
// older indexes are rebuilt.
const indexFormat = "/6"

// userKey returns what the terms of a user begin with: the last 48 bits of the uuid, which are
// random. Two users practically never share it; the first bits, the time when an account was made,
// can be the same. It is short because each term has it. The caller of a search nevertheless checks
// the owner of a match before it shows the match.
func userKey(userUUID string) string {
	return base64.RawURLEncoding.EncodeToString(uuidBytes(userUUID)[10:])
}

// pairKey returns one of 65,536 keys for two consecutive words.
func pairKey(before, after string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(before + "\x00" + after))
	return fmt.Sprintf("%04x", h.Sum32()>>16)
}

// indexed holds the terms of a document by field.
type indexed map[string]terms

// terms passes finished terms through Bleve, in place of an analyzer.
type terms []string

// Analyze returns the terms. It ignores the text.
func (t terms) Analyze([]byte) analysis.TokenStream {
	stream := make(analysis.TokenStream, 0, len(t))
	for i, term := range t {
		stream = append(stream, &analysis.Token{Term: []byte(term), Position: i + 1})
	}
	return stream
}

// document returns the Bleve document for d.
func (l *lexicon) document(d Document) *document.Document {
	fields := indexed{}
	if d.ID.Asset != "" {
		l.addAsset(fields, d)
	} else {
		l.addWindow(fields, d)
	}

	doc := document.NewDocument(d.ID.Key())
	for field, list := range fields {
		doc.AddField(document.NewTextFieldCustom(field, nil, nil, indexapi.IndexField|indexapi.SkipFreqNorm, list))
	}
	return doc
}

func (l *lexicon) addWindow(fields indexed, d Document) {
	user := userKey(d.UserUUID)
	fields[fieldLanguage] = terms{user + d.Language}
	before := ""
	for _, w := range l.split(d.Text) {
		fields[fieldWord] = append(fields[fieldWord], user+w.text)
		if stem := l.stemOf(d.Language, d.Text[w.start:w.end]); stem != "" && stem != w.text {
			fields[fieldStem] = append(fields[fieldStem], user+stem)
		}
		if before != "" {
			fields[fieldPair] = append(fields[fieldPair], user+pairKey(before, w.text))
		}
		before = w.text
	}
}

func (l *lexicon) addAsset(fields indexed, d Document) {
	user := userKey(d.UserUUID)
	before := ""
	for _, w := range l.split(d.Text) {
		fields[fieldAsset] = append(fields[fieldAsset], user+w.text)
		if plain := l.fold(w.text); plain != w.text {
			fields[fieldAsset] = append(fields[fieldAsset], user+plain)
		}
		if before != "" {
			fields[fieldBeside] = append(fields[fieldBeside], user+pairKey(before, w.text))
		}
		before = w.text
	}

	for _, w := range l.split(d.Usage) {
		fields[fieldUse] = append(fields[fieldUse], user+w.text)
	}
}
