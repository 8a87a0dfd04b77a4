package av

/*
#include <stdlib.h>
#include <libavformat/avformat.h>

static int roughcut_tag_file(AVFormatContext *f, const char *key, const char *value) {
	return av_dict_set(&f->metadata, key, value, 0);
}
static int roughcut_tag_track(AVStream *s, const char *key, const char *value) {
	return av_dict_set(&s->metadata, key, value, 0);
}
*/
import "C"

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unsafe"

	"github.com/asticode/go-astiav"
)

// Tags are what the file of a recording says about it and an export keeps. Empty ones are not
// stated.
type Tags struct {
	Title         string
	Created       string // creation time, as libav reads it from the container
	Date          string // as audio files have it
	VideoLanguage string // ISO 639-2
	AudioLanguage string // ISO 639-2
	AudioTitle    string // an export states it if it has several audio tracks
	// Location is the place of the recording, as in ISO 6709. An export must not tell where someone
	// lives, so it is kept on request only.
	Location string
}

// macLanguages are the names that libav's muxer of MOV has for languages with two codes in ISO
// 639-2. It leaves out any other name. See mov_mdhd_language_map in libavformat/isom.c.
var macLanguages = map[string]string{
	"deu": "ger", "nld": "dut", "swe": "sve", "ell": "gre", "isl": "ice", "zho": "chi", "sqi": "alb", "mkd": "mac",
}

// maxTagBytes limits a tag. Files from users are hostile.
const maxTagBytes = 1000

// Tags returns the tags of a recording.
func (s *Source) Tags() Tags {
	t := Tags{Title: s.fileTag("title"), Date: s.fileTag("date")}
	t.Created = cmp.Or(
		momentUTC(s.fileTag("com.apple.quicktime.creationdate")), creationTime(s.fileTag("creation_time"), t.Date),
	)
	t.Location = cmp.Or(s.fileTag("location"), s.fileTag("com.apple.quicktime.location.ISO6709"))
	if s.Video != nil {
		t.VideoLanguage = tagOf(s.Video.Stream.Metadata(), "language")
	}
	if s.Audio != nil {
		t.AudioLanguage = tagOf(s.Audio.Stream.Metadata(), "language")
		t.AudioTitle = trackTitle(s.Audio.Stream.Metadata())
	}

	return t
}

// fileTag returns a tag of the file. Ogg has tags of tracks only: the audio tags describe the
// file.
func (s *Source) fileTag(name string) string {
	if s.Name == "ogg" && s.Audio != nil {
		return cmp.Or(s.tag(name), tagOf(s.Audio.Stream.Metadata(), name))
	}
	return s.tag(name)
}

// creationTime returns the creation time of a file. Broadcast Wave files state the date and the
// local time separately (EBU Tech 3285), with any of five separators. Without a usable date, their
// time is left out: muxers would take it for a time of today.
func creationTime(stated, date string) string {
	separators := strings.NewReplacer("-", " ", "_", " ", ":", " ", ".", " ")
	const clock, day = "15 04 05", "2006 01 02"
	if _, err := time.Parse(clock, separators.Replace(stated)); err != nil {
		return stated
	}
	joined, err := time.Parse(day+" "+clock, separators.Replace(date+" "+stated))
	if err != nil {
		return ""
	}
	return joined.Format("2006-01-02T15:04:05")
}

// momentUTC returns the moment of a recording as iPhones state it, in UTC, or "" without a valid
// one. The creation time of such a file can be the time of an export.
func momentUTC(stated string) string {
	for _, layout := range []string{"2006-01-02T15:04:05-0700", time.RFC3339} {
		if moment, err := time.Parse(layout, stated); err == nil {
			return moment.UTC().Format("2006-01-02T15:04:05.000000Z")
		}
	}

	return ""
}

// tagOf returns a metadata entry, or "".
func tagOf(tags *astiav.Dictionary, name string) string {
	if tags == nil {
		return ""
	}
	entry := tags.Get(name, nil, 0)
	if entry == nil {
		return ""
	}
	value := entry.Value()
	if len(value) > maxTagBytes {
		value = value[:maxTagBytes]
	}
	return strings.ToValidUTF8(value, "")
}

// SetTags states tags. A negative track is missing. Call it before ReserveIndex and Start, and
// after SetTimecode.
func (m *Muxer) SetTags(t Tags, video, audio int) error {
	for key, value := range map[string]string{
		"title": t.Title, "creation_time": t.Created, "date": t.Date, "location": t.Location,
	} {
		if err := m.setTag(-1, key, value); err != nil {
			return err
		}
	}

	for track, language := range map[int]string{video: t.VideoLanguage, audio: t.AudioLanguage} {
		if track < 0 {
			continue
		}
		if err := m.setLanguage(track, language); err != nil {
			return err
		}
	}

	return nil
}

// setLanguage states the language of a track.
func (m *Muxer) setLanguage(track int, language string) error {
	if own, ok := macLanguages[language]; ok && m.isMOV {
		language = own
	}
	return m.setTag(track, "language", language)
}

// TagAudio states the language and the title of one of several audio tracks. Editors show the name
// of the handler as the title of a track in MP4 and its relatives. Call it like SetTags.
func (m *Muxer) TagAudio(track int, language, title string) error {
	if err := m.setLanguage(track, language); err != nil {
		return err
	}
	if m.indexed {
		if err := m.setTag(track, "handler_name", title); err != nil {
			return err
		}
	}

	return m.setTag(track, "title", title)
}

// Prefer makes players play a track instead of the other ones of its kind. Call it before Start.
func (m *Muxer) Prefer(track int) {
	s := m.tracks[track].stream
	s.SetDispositionFlags(s.DispositionFlags().Add(astiav.DispositionFlagDefault))
}

// setTag states a tag of a track, or of the file for a negative track.
func (m *Muxer) setTag(track int, key, value string) error {
	if value == "" {
		return nil
	}

	k, v := C.CString(key), C.CString(value)
	defer C.free(unsafe.Pointer(k))
	defer C.free(unsafe.Pointer(v))
	var code C.int
	if track < 0 {
		code = C.roughcut_tag_file(nativeFormat(m.format), k, v)
	} else {
		code = C.roughcut_tag_track(nativeStream(m.tracks[track].stream), k, v)
	}

	if code < 0 {
		return fmt.Errorf("adding tags to the video: %w", astiav.Error(code))
	}
	m.chapterBytes += int64(len(key)+2*len(value)) + indexChapter
	return nil
}
