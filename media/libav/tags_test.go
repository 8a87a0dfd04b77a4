package libav

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest"
)

// taggedFile are the tags that ffprobe finds in a file.
type taggedFile struct {
	Format  struct{ Tags map[string]string }
	Streams []struct {
		CodecType string `json:"codec_type"`
		Tags      map[string]string
	}
}

// An export keeps title, creation time and languages of the recording, whether it is copied whole,
// in part, or encoded. The place where it was made stays out unless it is to stay.
func TestTagsTravelAlong(t *testing.T) {
	t.Parallel()
	const title, created = "Größe & “Maß”", "2024-03-05T06:07:08.000000Z"
	cuts := []media.Span{{StartMS: 1000, EndMS: 1400}}
	for _, container := range []string{"mp4", "mov", "mkv"} {
		talk := mediatest.Talk(t, mediatest.TalkOptions{Seconds: 4, GOP: 30})
		path, german := filepath.Join(t.TempDir(), "talk."+container), "deu"
		if container == "mov" {
			german = "ger"
		}
		mediatest.FFmpeg(
			t, "-i", talk.Path, "-c", "copy", "-metadata", "title="+title, "-metadata", "creation_time="+created,
			"-metadata", "location=+48.2082+016.3738/", "-movflags", "use_metadata_tags",
			"-metadata:s:v:0", "language=fra", "-metadata:s:a:0", "language="+german, path,
		)
		for name, plan := range map[string]media.RenderPlan{
			"whole":   makePlan(t, nil, media.RenderSettings{}, path),
			"cut":     makePlan(t, cuts, media.RenderSettings{}, path),
			"encoded": makePlan(t, cuts, media.RenderSettings{FlipH: true}, path),
			"mov":     makePlan(t, cuts, media.RenderSettings{Format: "mov"}, path),
			"mkv":     makePlan(t, cuts, media.RenderSettings{Format: "mkv"}, path),
			"audio":   makePlan(t, cuts, media.RenderSettings{Format: "m4a"}, path),

			"placed":     makePlan(t, nil, media.RenderSettings{KeepLocation: true}, path),
			"placed cut": makePlan(t, cuts, media.RenderSettings{KeepLocation: true, FlipH: true}, path),
			"placed mov": makePlan(t, cuts, media.RenderSettings{KeepLocation: true, Format: "mov"}, path),
			"placed mkv": makePlan(t, cuts, media.RenderSettings{KeepLocation: true, Format: "mkv"}, path),
		} {
			t.Run(container+" "+name, func(t *testing.T) {
				out, _ := renderPlan(t, plan)
				report, err := mediatest.Command(
					t, "ffprobe", "-v", "error", "-of", "json", "-show_format", "-show_streams", out,
				).Output()
				if err != nil {
					t.Fatal(err)
				}
				var got taggedFile
				if err := json.Unmarshal(report, &got); err != nil {
					t.Fatal(err)
				}

				if tags := got.Format.Tags; tags["title"] != title || tags["creation_time"] != created {
					t.Errorf("the file has the tags %v", tags)
				}
				places := ""
				for _, place := range []string{"location", "LOCATION", "com.apple.quicktime.location.ISO6709"} {
					places += got.Format.Tags[place]
				}
				kept := strings.HasPrefix(places, "+48.2082+016.3738")
				if kept != plan.KeepLocation || (places != "") != plan.KeepLocation {
					t.Errorf("the file says that it was made at %q", places)
				}
				for _, s := range got.Streams {
					want := map[string]string{"video": "fra", "audio": "ger"}[s.CodecType]
					is := s.Tags["language"]
					if is == "deu" {
						is = "ger"
					}
					if want != "" && is != want {
						t.Errorf("the %s track has the language %q, want %q", s.CodecType, is, want)
					}
				}
			})
		}
	}
}

// Tags of Ogg files, which are those of their audio track, and the creation time of Broadcast Wave
// files reach exports in audio formats.
func TestTagsOfAudioFilesTravelAlong(t *testing.T) {
	t.Parallel()
	const title, created = "Größe & “Maß”", "2024-03-05T06:07:08Z"
	ogg := []string{
		"-metadata", "title=" + title, "-metadata", "date=2024-03-05", "-metadata", "creation_time=" + created,
	}
	bwf := func(date string) []string {
		return []string{"-write_bext", "1", "-metadata", "title=" + title, "-metadata", "origination_date=" + date,
			"-metadata", "origination_time=10:11:12"}
	}
	for _, c := range []struct {
		file, codec   string
		tags          []string
		format        string
		date, created string
	}{
		{"talk.opus", "libopus", ogg, "flac", "2024-03-05", created},
		{"talk.opus", "libopus", ogg, "m4a", "2024-03-05", "2024-03-05T06:07:08.000000Z"},
		{"talk.oga", "flac", ogg, "opus", "2024-03-05", created},
		{"talk.wav", "pcm_s16le", bwf("2024-03-05"), "flac", "2024-03-05", "2024-03-05T10:11:12"},
		{"talk.wav", "pcm_s16le", bwf("2024:03:05"), "opus", "2024:03:05", "2024-03-05T10:11:12"},
		{"talk.wav", "pcm_s16le", bwf("0000-00-00"), "flac", "0000-00-00", ""},
	} {
		path := filepath.Join(t.TempDir(), c.file)
		args := append([]string{"-f", "lavfi", "-i", "sine=d=2:r=48000", "-c:a", c.codec}, c.tags...)
		mediatest.FFmpeg(t, append(args, path)...)
		out, _ := renderPlan(t, makePlan(t, nil, media.RenderSettings{Format: c.format}, path))
		report, err := mediatest.Command(
			t, "ffprobe", "-v", "error", "-of", "json", "-show_format", "-show_streams", out,
		).Output()
		if err != nil {
			t.Fatal(err)
		}
		var got taggedFile
		if err := json.Unmarshal(report, &got); err != nil {
			t.Fatal(err)
		}

		found := map[string]string{}
		maps.Copy(found, got.Streams[0].Tags)
		maps.Copy(found, got.Format.Tags)
		for name, value := range found {
			found[strings.ToLower(name)] = value
		}
		if found["title"] != title || found["date"] != c.date || found["creation_time"] != c.created {
			t.Errorf("%s with the date %s as %s has the tags %q", c.file, c.date, c.format, found)
		}
	}
}

// The moment of a recording by an iPhone wins over the creation time of its file, which can be the
// time of an export.
func TestMomentOfPhonesIsTheCreationTime(t *testing.T) {
	t.Parallel()
	const exported = "2024-06-01T00:00:00.000000Z"
	for moment, want := range map[string]string{
		"2024-05-06T09:08:09+0200":  "2024-05-06T07:08:09.000000Z",
		"2024-05-05T23:08:09-05:00": "2024-05-06T04:08:09.000000Z",
		"2024-05-06":                exported,
	} {
		path := filepath.Join(t.TempDir(), "phone.mov")
		mediatest.FFmpeg(t, "-f", "lavfi", "-i", "testsrc2=s=128x72:r=30:d=1", "-pix_fmt", "yuv420p",
			"-metadata", "creation_time="+exported, "-metadata", "com.apple.quicktime.creationdate="+moment,
			"-movflags", "use_metadata_tags", path)
		for _, format := range []string{"mp4", "mov", "mkv"} {
			out, _ := renderPlan(t, makePlan(t, nil, media.RenderSettings{Format: format}, path))
			tags := ffprobe(t, out, "-show_format").Format.Tags
			if tags["creation_time"] != want {
				t.Errorf("%s of a recording at %s has the tags %q, want %q", format, moment, tags, want)
			}
		}
	}
}
