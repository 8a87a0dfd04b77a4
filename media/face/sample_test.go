package face

import (
	"math"
	"testing"

	"roughcut/media"
)

// A face that walks to and fro is looked for often enough to follow it, and one that stays in few
// frames. Frames that cannot be decoded are asked for once.
func TestFacesAreLookedForWhereTheyMove(t *testing.T) {
	t.Parallel()
	const minutes10 = 600_000
	var keyframes []int64
	for ms := int64(0); ms < minutes10; ms += 2000 {
		keyframes = append(keyframes, ms)
	}
	walk := func(ms int64) float64 { return 0.5 + 0.3*math.Sin(2*math.Pi*float64(ms)/40_000) }
	everyFifth := func(ms int64) bool { return ms/2000%5 == 0 }
	for _, c := range []struct {
		name      string
		keyframes []int64
		place     func(ms int64) float64
		gone      func(ms int64) bool
		most      int
		within    float64 // of the frame
	}{
		{"still", keyframes, func(int64) float64 { return 0.4 }, nil, faceFrames, 0.001},
		{"walking", keyframes, walk, nil, minutes10 / movingEveryMS, 0.1},
		{"walking, keyframes unknown", nil, walk, nil, minutes10 / movingEveryMS, 0.1},
		{"walking, damaged", keyframes, walk, everyFifth, minutes10 / movingEveryMS, 0.15},
		{"far keyframes", []int64{0, 300_000}, walk, nil, 2, 1},
	} {
		looks := map[int64]int{}
		samples, err := sampleFaces(minutes10, c.keyframes, func(ms int64) ([]media.Face, error) {
			if looks[ms]++; looks[ms] > 1 {
				t.Errorf("%s: asked %d times for %d ms", c.name, looks[ms], ms)
			}
			if c.gone != nil && c.gone(ms) {
				return nil, ErrNoFrame
			}
			face := media.Face{MS: ms, X: c.place(ms), Y: 0.4, Size: 0.2, Confidence: 50}
			return []media.Face{{MS: ms, X: 0.9, Y: 0.9, Size: 0.05, Confidence: 60}, face}, nil
		})
		if err != nil || len(looks) > c.most {
			t.Errorf("%s: %d looks, at most %d expected, %v", c.name, len(looks), c.most, err)
		}
		var frames [][]media.Face
		for i, s := range samples {
			if i > 0 && s.ms <= samples[i-1].ms {
				t.Fatalf("%s: sample %d is at %d ms after %d ms", c.name, i, s.ms, samples[i-1].ms)
			}
			frames = append(frames, s.faces)
		}
		center := media.FaceCenter(media.MainFaces(frames))
		for ms := samples[0].ms; ms < samples[len(samples)-1].ms; ms += 500 {
			if off := math.Abs(placeAt(center, ms) - c.place(ms)); off > c.within {
				t.Errorf("%s: at %d ms the center is %.2f away from the face", c.name, ms, off)
				break
			}
		}
	}
}

// placeAt interpolates between keyframes as views do.
func placeAt(keys []media.CropKeyframe, ms int64) float64 {
	for i, k := range keys {
		if ms > k.MS {
			continue
		}
		if i == 0 || ms == k.MS {
			return k.X
		}
		from := keys[i-1]
		return from.X + (k.X-from.X)*float64(ms-from.MS)/float64(k.MS-from.MS)
	}
	return keys[len(keys)-1].X
}
