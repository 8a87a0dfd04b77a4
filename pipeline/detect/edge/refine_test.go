package edge

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"roughcut/media"
	"roughcut/media/audio"
	"roughcut/media/mediatest/voices"
	"roughcut/pipeline/detect/spectrum"
)

// Music hides the ends of speech from a measurement of energy. Narrow bands show them.
func TestRefineFindsEdgesOverMusic(t *testing.T) {
	voices.Load(t)
	before, after := 0, 0
	for i, voice := range voices.Names() {
		talk := voices.Talk(t, uint64(40+i), voice, "music 25", voices.Options{Seconds: 60, ShortestPause: 700})
		r := hear(t, talk)
		m := spectrum.NewMeter()
		m.Add(talk.PCM)
		v := r.VoiceActivity
		Refine(&v, m)
		before, after = before+exactEnds(talk, r.Spans), after+exactEnds(talk, v.Spans)
		for i := 1; i < len(v.Spans); i++ {
			if v.Spans[i].StartMS <= v.Spans[i-1].EndMS {
				t.Errorf("%s: the spans %v and %v overlap", voice, v.Spans[i-1], v.Spans[i])
			}
		}
	}
	if after < before*5/4 {
		t.Errorf("%d ends are exact to 30 ms, %d before", after, before)
	}
}

// exactEnds counts the ends of phrases that the end of a span meets.
func exactEnds(talk voices.Recording, spans []media.Span) (n int) {
	for _, phrase := range talk.Speech {
		for _, s := range spans {
			if d := s.EndMS - phrase.EndMS; d > -30 && d < 30 {
				n++
			}
		}
	}
	return n
}

// An edge whose place is uncertain goes where most of its chances are within reach. Chances that
// rise toward the pause share their mean.
func TestEdgeIsAtTheLikeliestPlace(t *testing.T) {
	for name, c := range map[string]struct {
		chances []float64
		want    int
	}{
		"certain":      {[]float64{1, 1, 1, 0, 0, 0}, 3},
		"no speech":    {[]float64{0.5, 0.4, 0}, 0},
		"nothing":      {nil, 0},
		"either place": {[]float64{1, 1, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0, 0}, 12},
		"far behind":   {[]float64{1, 1, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0, 0}, 2},
	} {
		if got := likeliestEdge(c.chances); got != c.want {
			t.Errorf("%s: got %d frames of speech, want %d", name, got, c.want)
		}
	}
	var logits []float32
	for _, odds := range []float32{4, 0, 0.8, -0.8, 0, -4} {
		logits = append(logits, (odds-caution)/certainty)
	}
	chances := speechChances(logits)
	for i, want := range []float64{0.982, 0.595, 0.595, 0.405, 0.405, 0.018} {
		if math.Abs(chances[i]-want) > 0.001 {
			t.Errorf("frame %d has the chance %.3f, want %.3f", i, chances[i], want)
		}
	}
}

// Frames that are judged together have the logits of each frame alone, bit by bit.
func TestManyFramesAreJudgedAsOne(t *testing.T) {
	_, ends := judges()
	random := rand.New(rand.NewPCG(5, 6))
	for _, frames := range []int{1, 4, 7} {
		for _, n := range []network{ends.alone, ends.informed[0]} {
			d := n.dense()
			x := d.columns(0, n.sizes()[0], frames)
			for i := range frames {
				for k := range x.of(i) {
					x.of(i)[k] = float32(random.NormFloat64())
				}
			}
			logits := d.logits(x)
			for i := range frames {
				if want := n.forward(x.of(i))[len(n)-1][0]; logits[i] != want {
					t.Errorf("frame %d of %d has the logit %v, want %v", i, frames, logits[i], want)
				}
			}
		}
	}
}

// A profile is the mean of the edges nearby, apart from those that seem to have no speech.
func TestProfileIsTheMeanOfEdgesNearby(t *testing.T) {
	var edges []found
	for i := range 2*neighbors + 2 {
		x := make([]float32, inputs)
		for k := range x {
			x[k] = float32(i)
		}
		edges = append(edges, found{edge{features: [][]float32{nil, x}}, 1})
	}
	edges[1].speech = 0
	got := profiles(edges)
	for i, want := range map[int]float32{
		0:             (neighbors*(neighbors+1)/2 - 1) / float32(neighbors), // 0 and 2 to neighbors
		neighbors:     (2*neighbors*(2*neighbors+1)/2 - 1) / float32(2*neighbors),
		neighbors + 1: (2*neighbors+1)*(2*neighbors+2)/2/float32(2*neighbors) - 1/float32(2*neighbors),
	} {
		for k, x := range got[i][:profiled-1] {
			if math.Abs(float64(x-want)) > 1e-3 {
				t.Fatalf("feature %d of the profile of edge %d is %v, want %v", k, i, x, want)
			}
		}
	}
	if n := got[0][profiled-1]; n != 2*neighbors/float32(fullProfile)-1 {
		t.Errorf("the profile of edge 0 has the weight %v", n)
	}
	edges = edges[1:2]
	if got := profiles(edges); got[0][0] != 0 || got[0][profiled-1] != -1 {
		t.Errorf("without an edge, the profile is %v", got[0])
	}
}

// Without probabilities of voice, as in a program without the voice network, nothing changes.
func TestRefineNeedsTheVoiceNetwork(t *testing.T) {
	v := audio.VoiceActivity{DurationMS: 3000, Spans: []media.Span{{StartMS: 500, EndMS: 1200}}}
	want := v
	m := spectrum.NewMeter()
	m.Add(make([]int16, 3*media.SpeechSampleRate))
	if Refine(&v, m); !reflect.DeepEqual(v, want) {
		t.Errorf("got %+v, want %+v", v, want)
	}
}

// A sound next to speech gives way to it, and a sound that is part of the speech stays.
func TestSpeechShortensSounds(t *testing.T) {
	sound := func(from, to int64) audio.Sound {
		return audio.Sound{Span: media.Span{StartMS: from, EndMS: to}, Kind: audio.SoundNoise}
	}
	before := []media.Span{{StartMS: 1000, EndMS: 2000}, {StartMS: 4000, EndMS: 5000}}
	after := []media.Span{{StartMS: 900, EndMS: 2200}, {StartMS: 4000, EndMS: 5000}}
	sounds := []audio.Sound{sound(500, 950), sound(1500, 2500), sound(2010, 2230), sound(2100, 3000)}
	got := withoutSpeech(sounds, before, after)
	want := []audio.Sound{sound(500, 900), sound(1500, 2500), sound(2200, 3000)}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
