package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"roughcut/media"
	"roughcut/store"
)

// noWaveform is the value of --waveform that shows none.
const noWaveform = "none"

// audioClips are the flags that say what the video shows during recordings without video.
type audioClips struct {
	waveform string // a color or noWaveform
	cover    string // the path of an image; may be empty
}

func (a *audioClips) addTo(f *pflag.FlagSet) {
	f.StringVar(
		&a.waveform,
		"waveform",
		store.DefaultExportSettings().AudioClips.Color,
		"color of the waveform of recordings without video, or none",
	)
	f.StringVar(&a.cover, "cover", "", "image to show during recordings without video")
}

func (a audioClips) validate() error {
	if a.waveform != noWaveform {
		if _, err := media.ParseColor(a.waveform); err != nil || a.waveform == "" {
			return usageError{fmt.Errorf("--waveform must be a color such as #3ddbb0, or none, not %q", a.waveform)}
		}
	}

	if a.cover == "" {
		return nil
	}
	if _, err := os.Stat(a.cover); err != nil {
		return fmt.Errorf("cannot read the cover %q: %w", a.cover, fileCause(err))
	}
	return nil
}

// audioClipSettings reads the cover. It returns what the video shows during recordings without
// video.
func (c *cutJob) audioClipSettings(ctx context.Context) (s media.AudioClips, err error) {
	a := c.audioClips
	if a.waveform != noWaveform {
		s.Waveform, s.Color = true, a.waveform
	}
	if a.cover == "" {
		return s, nil
	}
	cover, err := c.engine.Asset(ctx, media.AssetRequest{Path: a.cover}, nil)
	if err != nil {
		return s, fmt.Errorf("%s: %w", a.cover, err)
	}
	if cover.Kind != media.KindImage {
		return s, usageError{fmt.Errorf("--cover must be an image, and %s is not", a.cover)}
	}
	s.Cover = &media.PlacedAsset{Path: a.cover, Name: filepath.Base(a.cover), Info: cover.Info}
	return s, nil
}

// keepPeaks writes the waveform of a recording without video into a folder, and returns its path.
func keepPeaks(temp string, number int, in media.IngestResult) (path string, err error) {
	if in.Info.Video != nil || len(in.Peaks) == 0 {
		return "", nil
	}
	path = filepath.Join(temp, fmt.Sprintf("%d.peaks", number))
	return path, os.WriteFile(path, in.Peaks, 0o600)
}
