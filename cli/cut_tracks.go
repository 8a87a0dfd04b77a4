package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"roughcut/media"
)

// parseTracks returns the audio tracks that --audio-track names for each recording, as in
// media.IngestRequest. One value holds for all recordings.
func parseTracks(values []string, recordings int) ([][]int, error) {
	chosen := make([][]int, recordings)
	if len(values) > 1 && len(values) != recordings {
		return nil, usageError{fmt.Errorf(
			"--audio-track must be there once, or once for each of the %d recordings, not %d times",
			recordings, len(values),
		)}
	}

	for i := range chosen {
		if len(values) == 0 {
			break
		}
		value := values[min(i, len(values)-1)]
		for number := range strings.SplitSeq(value, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(number))
			if err != nil || n < 1 {
				return nil, usageError{fmt.Errorf(
					"--audio-track must be numbers of audio tracks from 1, separated by commas, not %q", value,
				)}
			}

			if slices.Contains(chosen[i], n-1) {
				return nil, usageError{fmt.Errorf(
					"--audio-track must be different tracks, but %q names %d twice", value, n,
				)}
			}

			chosen[i] = append(chosen[i], n-1)
		}
	}

	return chosen, nil
}

// tracksHeard says which audio tracks of a recording are heard, and names the others. It warns of
// tracks that cannot be read. It is empty for a recording with one that is heard.
func tracksHeard(path string, info media.Info, chosen bool) string {
	if info.Audio == nil && len(info.AudioTracks) > 0 {
		return withoutSound(path, info)
	}
	if len(info.AudioTracks) < 2 {
		return ""
	}
	var heard, others, unread []string
	why, speechBefore := "", false
	for i, t := range info.AudioTracks {
		if t.Undecodable {
			unread = append(unread, describeTrack(i, t))
			continue
		}

		hasSpeech := t.Speech != nil && *t.Speech
		if !t.Played {
			others = append(others, describeTrack(i, t))
			speechBefore = speechBefore || hasSpeech
			continue
		}

		heard = append(heard, describeTrack(i, t))
		switch {
		case chosen || !hasSpeech:
		case speechBefore:
			why = ", with speech"
		default:
			why = ", the first with speech"
		}
	}

	text := fmt.Sprintf("%s: audio track %s%s.", filepath.Base(path), inSentence(heard), why)
	if len(others) > 0 {
		text += " Others: " + strings.Join(others, "; ") + ". Choose with --audio-track."
	}
	for _, track := range unread {
		text += fmt.Sprintf(
			"\n%s: warning: audio track %s. It is damaged, or Roughcut does not read its codec, so it is left out.",
			filepath.Base(path), track,
		)
	}

	return text
}

// withoutSound says that no audio track of a recording is heard.
func withoutSound(path string, info media.Info) string {
	var tracks []string
	for i, t := range info.AudioTracks {
		tracks = append(tracks, describeTrack(i, t))
	}
	return fmt.Sprintf(
		"%s has no sound in the output: audio track %s.", filepath.Base(path), strings.Join(tracks, "; "),
	)
}

// inSentence joins names as in "1, 2 and 3".
func inSentence(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// describeTrack returns the number of an audio track and its known properties.
func describeTrack(index int, t media.AudioTrack) string {
	var facts []string
	title := media.CodecTitle(t.Codec)
	if codec, known := media.CodecNamed(t.Codec); known {
		title = codec.Title
	}
	for _, fact := range []string{t.Title, t.Language, title} {
		if fact != "" {
			facts = append(facts, fact)
		}
	}

	switch {
	case t.Undecodable:
		facts = append(facts, "cannot be decoded")
	case t.Speech != nil && !*t.Speech:
		facts = append(facts, "no speech")
	}

	return fmt.Sprintf("%d (%s)", index+1, strings.Join(facts, ", "))
}
