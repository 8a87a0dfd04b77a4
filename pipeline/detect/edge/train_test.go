package edge

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"

	"roughcut/media"
	"roughcut/media/mediatest/voices"
	"roughcut/media/voicenet"
	"roughcut/pipeline/detect/spectrum"
)

const (
	trainingSeconds = 120 // of one talk
	trainingSeed    = 20_000
	epochs          = 10
	learningRate    = 0.002
	batchSize       = 256
	decay           = 1e-5 // of the weights, per step
	trainers        = 2    // goroutines
	farMS           = 300  // the edge of another pause
)

// example is a frame and whether it is speech.
type example struct {
	x      []float32
	speech bool
}

// TestTrain trains the networks with talks of all installed voices in random conditions and writes
// their weights. ROUGHCUT_TRAIN is the number of talks of each voice; the committed weights come
// from 240. Two processors take ten minutes.
func TestTrain(t *testing.T) {
	talks, err := strconv.Atoi(os.Getenv("ROUGHCUT_TRAIN"))
	if err != nil {
		t.Skip("writes the weights, set ROUGHCUT_TRAIN to the number of talks")
	}
	starts, ends := examples(t, talks)
	t.Logf("%d and %d frames", len(starts), len(ends))
	data := train(t, starts).encode(nil)
	if err := os.WriteFile("weights.bin", train(t, ends).encode(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

// examples returns the frames around starts and ends of speech.
func examples(t *testing.T, talks int) (starts, ends []example) {
	t.Helper()
	names := voices.Names()
	heard := make([]*recording, talks*len(names))
	pauses := make([][]media.Span, len(heard))
	var work sync.WaitGroup
	slots := make(chan struct{}, trainers)
	for i := range heard {
		slots <- struct{}{}
		work.Go(func() {
			o := voices.Options{Seconds: trainingSeconds}
			talk := voices.TrainingTalk(t, uint64(trainingSeed+i/len(names)), names[i%len(names)], o)
			heard[i], pauses[i] = hear(t, talk), talk.Pauses
			<-slots
		})
	}
	work.Wait()
	for i, r := range heard {
		for _, e := range r.edges() {
			if e.start {
				starts = append(starts, e.examples(r.Spans, pauses[i])...)
			} else {
				ends = append(ends, e.examples(r.Spans, pauses[i])...)
			}
		}
	}
	return starts, ends
}

// hear measures a talk.
func hear(t *testing.T, talk voices.Recording) *recording {
	t.Helper()
	levels, m := media.NewVoiceDetector(), spectrum.NewMeter()
	network, err := voicenet.New()
	if err != nil {
		t.Error(err)
		return nil
	}
	network.Add(talk.PCM)
	levels.Add(talk.PCM)
	m.Add(talk.PCM)
	return newRecording(levels.Activity(network.Probabilities()), m)
}

// examples returns the frames of an edge, if the pause is known to which it belongs.
func (e edge) examples(spans, pauses []media.Span) (out []example) {
	found, truth := spans[e.span].EndMS, int64(math.MaxInt64/2)
	if e.start {
		found = spans[e.span].StartMS
	}
	distance := func(ms int64) int64 { return max(ms-found, found-ms) }
	for _, p := range pauses {
		at := p.StartMS
		if e.start {
			at = p.EndMS
		}
		if distance(at) < min(distance(truth), farMS) {
			truth = at
		}
	}
	if distance(truth) >= farMS {
		return nil
	}
	for i, x := range e.features {
		center := timeOf(e.anchor+e.first+i) + frameMS/2
		speech := center < truth
		if e.start {
			center = timeOf(e.anchor-e.first-i) + frameMS/2
			speech = center >= truth
		}
		out = append(out, example{x, speech})
	}
	return out
}

// train returns a network that minimizes the cross-entropy of the examples, by the method Adam
// (D. Kingma, J. Ba, 2015) with a learning rate that falls along a cosine.
func train(t *testing.T, data []example) network {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	n := blank()
	for _, l := range n {
		scale := math.Sqrt(2 * float64(len(l.bias)) / float64(len(l.weights)))
		for i := range l.weights {
			l.weights[i] = float32(random.NormFloat64() * scale)
		}
	}
	mean, square := blank(), blank()
	steps := epochs * (len(data) / batchSize)
	for epoch, step := 0, 0; epoch < epochs; epoch++ {
		random.Shuffle(len(data), func(i, j int) { data[i], data[j] = data[j], data[i] })
		loss := 0.0
		for at := 0; at+batchSize <= len(data); at += batchSize {
			gradient, batchLoss := n.gradient(data[at : at+batchSize])
			loss += batchLoss
			step++
			adam{
				rate:   learningRate * 0.5 * (1 + math.Cos(math.Pi*float64(step)/float64(steps))),
				first:  1 - math.Pow(0.9, float64(step)),
				second: 1 - math.Pow(0.999, float64(step)),
			}.step(n, gradient, mean, square)
		}
		t.Logf("epoch %d: loss %.4f", epoch, loss/float64(len(data)))
	}
	return n
}

// blank returns a network of zeros.
func blank() (n network) {
	for i, width := range sizes()[1:] {
		n = append(n, layer{make([]float32, sizes()[i]*width), make([]float32, width)})
	}
	return n
}

// gradient returns the sum of the gradients of a batch, and of its losses.
func (n network) gradient(batch []example) (sum network, loss float64) {
	var parts [trainers]network
	var losses [trainers]float64
	var work sync.WaitGroup
	for k := range trainers {
		work.Go(func() {
			parts[k] = blank()
			for i := k; i < len(batch); i += trainers {
				losses[k] += n.addGradient(parts[k], batch[i])
			}
		})
	}
	work.Wait()
	sum = parts[0]
	for k := 1; k < trainers; k++ {
		for i, l := range parts[k] {
			add(sum[i].weights, l.weights, 1)
			add(sum[i].bias, l.bias, 1)
		}
	}
	for _, l := range losses {
		loss += l
	}
	return sum, loss
}

// addGradient adds the gradient of an example and returns its loss.
func (n network) addGradient(sum network, e example) float64 {
	outputs := n.forward(e.x)
	p := 1 / (1 + math.Exp(-float64(outputs[len(n)-1][0])))
	likelihood, delta := 1-p, []float32{float32(p)}
	if e.speech {
		likelihood, delta[0] = p, float32(p-1)
	}
	for i := len(n) - 1; i >= 0; i-- {
		in := e.x
		if i > 0 {
			in = outputs[i-1]
		}
		below := make([]float32, len(in))
		for j, d := range delta {
			if d == 0 {
				continue
			}
			sum[i].bias[j] += d
			add(sum[i].weights[j*len(in):(j+1)*len(in)], in, d)
			add(below, n[i].weights[j*len(in):(j+1)*len(in)], d)
		}
		for k, x := range in {
			if x <= 0 {
				below[k] = 0 // the slope of max(x, 0)
			}
		}
		delta = below
	}
	return -math.Log(max(likelihood, 1e-9))
}

// add adds a multiple of x to sum.
func add(sum, x []float32, factor float32) {
	for i, v := range x {
		sum[i] += factor * v
	}
}

// adam is one step of the method Adam: the learning rate, and the corrections of both means.
type adam struct{ rate, first, second float64 }

func (a adam) step(n, gradient, mean, square network) {
	update := func(x, g, m, s []float32) {
		for i := range x {
			d := g[i]/batchSize + decay*x[i]
			m[i] = 0.9*m[i] + 0.1*d
			s[i] = 0.999*s[i] + 0.001*d*d
			x[i] -= float32(a.rate * float64(m[i]) / a.first / (math.Sqrt(float64(s[i])/a.second) + 1e-8))
		}
	}
	for i, l := range n {
		update(l.weights, gradient[i].weights, mean[i].weights, square[i].weights)
		update(l.bias, gradient[i].bias, mean[i].bias, square[i].bias)
	}
}
