package av

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"roughcut/media/mediatest"
)

// readFacts returns what the first packets of the video say, all with most < 0.
func readFacts(t *testing.T, s *Source, most int) (facts []PacketFacts) {
	t.Helper()
	for len(facts) != most {
		track, err := s.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if track == s.Video {
			facts = append(facts, FactsOf(s.Packet))
		}
	}
	return facts
}

func openSource(t *testing.T, path string) *Source {
	t.Helper()
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// listed returns the packets that the index lists, nil if it does not.
func listed(s *Source, read []PacketFacts) (all []ListedPacket) {
	if list := s.ListVideo(read); list != nil {
		_ = list.Each(0, func(p ListedPacket) error {
			all = append(all, p)
			return nil
		})
	}
	return all
}

// The index of a file lists the packets that reading finds.
func TestListedPacketsAreThoseThatAreRead(t *testing.T) {
	faststart, cut := []string{"-movflags", "+faststart"}, []string{"-t", "3.1"}
	negative := []string{"-movflags", "negative_cts_offsets"}
	fragments := []string{"-movflags", "frag_keyframe+empty_moov"}
	for name, c := range map[string]struct {
		options mediatest.TalkOptions
		again   []string // options of ffmpeg that copy the recording before it is read
		listed  bool
	}{
		"phone":            {options: mediatest.TalkOptions{GOP: 30}, listed: true},
		"B-frames":         {options: mediatest.TalkOptions{GOP: 60, BFrames: 3}, listed: true},
		"index in front":   {options: mediatest.TalkOptions{BFrames: 2, OutputOptions: faststart}, listed: true},
		"mov":              {options: mediatest.TalkOptions{Container: "mov", BFrames: 2}, listed: true},
		"variable":         {options: mediatest.TalkOptions{Variable: true}, listed: true},
		"variable, B":      {options: mediatest.TalkOptions{Variable: true, BFrames: 2}, listed: true},
		"late video":       {options: mediatest.TalkOptions{VideoStartMS: 300, BFrames: 2}, listed: true},
		"late audio":       {options: mediatest.TalkOptions{AudioStartMS: 300}, listed: true},
		"without audio":    {options: mediatest.TalkOptions{NoAudio: true, BFrames: 1}, listed: true},
		"HEVC":             {options: mediatest.TalkOptions{VideoCodec: "libx265", GOP: 30}, listed: true},
		"fragments":        {options: mediatest.TalkOptions{OutputOptions: fragments}},
		"matroska":         {options: mediatest.TalkOptions{Container: "mkv"}},
		"negative offsets": {options: mediatest.TalkOptions{BFrames: 2}, again: negative, listed: true},
		"cut at a frame":   {options: mediatest.TalkOptions{GOP: 30, BFrames: 2}, again: cut, listed: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.options.Seconds = 6
			path := mediatest.Talk(t, c.options).Path
			if c.again != nil {
				copied := filepath.Join(t.TempDir(), "copy.mp4")
				args := append([]string{"-ss", "1.3", "-i", path, "-c", "copy"}, c.again...)
				mediatest.FFmpeg(t, append(args, copied)...)
				path = copied
			}
			want := readFacts(t, openSource(t, path), -1)
			s := openSource(t, path)
			list := listed(s, readFacts(t, s, 2*leastListed))
			if !c.listed {
				if list != nil {
					t.Errorf("%d packets are listed", len(list))
				}
				return
			}
			if len(list) != len(want) || len(want) < 90 {
				t.Fatalf("%d packets are listed, %d are read", len(list), len(want))
			}
			for i, p := range list {
				if p.PacketFacts != want[i] {
					t.Fatalf("packet %d is listed as %+v, and read as %+v", i, p.PacketFacts, want[i])
				}
			}
		})
	}
}

// The index of a truncated file lists packets that are missing.
func TestTruncatedFilesAreNotListed(t *testing.T) {
	talk := mediatest.Talk(t, mediatest.TalkOptions{Seconds: 6, OutputOptions: []string{"-movflags", "+faststart"}})
	whole, err := os.ReadFile(talk.Path)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "truncated.mp4")
	if err := os.WriteFile(path, whole[:len(whole)*9/10], 0o600); err != nil {
		t.Fatal(err)
	}
	s := openSource(t, path)
	if list := listed(s, readFacts(t, s, leastListed)); list != nil {
		t.Errorf("%d packets are listed", len(list))
	}
}
