package edge

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"

	"roughcut/media"
	"roughcut/media/audio"
	"roughcut/media/mediatest/voices"
	"roughcut/media/voicenet"
	"roughcut/pipeline/detect/spectrum"
)

const (
	trainingSeconds = 120 // of one talk
	trainingSeed    = 20_000
	aloneEpochs     = 10
	informedEpochs  = 6
	learningRate    = 0.002
	batchSize       = 256
	decay           = 1e-5 // of the weights, per step
	trainers        = 2    // goroutines
	farMS           = 300  // the edge of another pause
)

// example is a frame, the profile that a network knows, and whether it is speech.
type example struct {
	x, profile []float32
	speech     bool
}

// taught is a recording with its true pauses.
type taught struct {
	*recording
	pauses []media.Span
}

// TestTrain trains the networks with talks of the voices of Names in random conditions and writes
// their weights. The held-out voices grade them. ROUGHCUT_TRAIN is the number of talks of each
// voice. The committed weights come from 240 talks for the networks without a profile and from 360
// for the others. Two processors take an hour.
func TestTrain(t *testing.T) {
	talks, err := strconv.Atoi(os.Getenv("ROUGHCUT_TRAIN"))
	if err != nil {
		t.Skip("only ROUGHCUT_TRAIN=TALKS runs this")
	}
	all := lessons(t, talks)
	data := trainJudge(t, all, true, 0).encode(nil)
	data = trainJudge(t, all, false, informedEnds).encode(data)
	if err := os.WriteFile("weights.bin", data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// lessons measures talks.
func lessons(t *testing.T, talks int) []taught {
	t.Helper()
	names := voices.Names()
	all := make([]taught, talks*len(names))
	var work sync.WaitGroup
	slots := make(chan struct{}, trainers)
	for i := range all {
		slots <- struct{}{}
		work.Go(func() {
			o := voices.Options{Seconds: trainingSeconds}
			talk := voices.TrainingTalk(t, uint64(trainingSeed+i/len(names)), names[i%len(names)], o)
			all[i] = taught{hear(t, talk), talk.Pauses}
			<-slots
		})
	}
	work.Wait()
	return all
}

// trainJudge trains the network that judges each edge alone, then those that know the profile that
// it finds.
func trainJudge(t *testing.T, all []taught, starts bool, informed int) (j judge) {
	t.Helper()
	var data []example
	for _, r := range all {
		for _, e := range r.edges(starts) {
			data = append(data, e.examples(r, nil)...)
		}
	}
	t.Logf("%d frames", len(data))
	j.alone = train(t, data, aloneSizes(), aloneEpochs, 0)
	if informed == 0 {
		return j
	}
	data = data[:0]
	for _, r := range all {
		edges := placeAlone(j.alone, r.edges(starts))
		for i, profile := range profiles(edges) {
			data = append(data, edges[i].examples(r, profile)...)
		}
	}
	for i := range informed {
		j.informed = append(j.informed, train(t, data, informedSizes(), informedEpochs, uint64(i+1)))
	}
	return j
}

// hear measures a talk.
func hear(t *testing.T, talk voices.Recording) *recording {
	t.Helper()
	levels, m := audio.NewVoiceDetector(), spectrum.NewMeter()
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

// examples returns the frames of an edge, or nil if no pause of the script is near the edge.
func (e edge) examples(r taught, profile []float32) (out []example) {
	found, truth := r.Spans[e.span].EndMS, int64(math.MaxInt64/2)
	if e.start {
		found = r.Spans[e.span].StartMS
	}
	distance := func(ms int64) int64 { return max(ms-found, found-ms) }
	for _, p := range r.pauses {
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
		out = append(out, example{x, profile, speech})
	}
	return out
}

// train returns a network that minimizes the cross-entropy of the examples, by the method Adam
// (D. Kingma, J. Ba, 2015) with a learning rate that falls along a cosine. Networks of different
// seeds differ.
func train(t *testing.T, data []example, sizes []int, epochs int, seed uint64) network {
	t.Helper()
	random := rand.New(rand.NewPCG(3, seed))
	n := blank(sizes)
	for _, l := range n {
		scale := math.Sqrt(2 * float64(len(l.bias)) / float64(len(l.weights)))
		for i := range l.weights {
			l.weights[i] = float32(random.NormFloat64() * scale)
		}
	}
	mean, square := blank(sizes), blank(sizes)
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
func blank(sizes []int) (n network) {
	for i, width := range sizes[1:] {
		n = append(n, layer{make([]float32, sizes[i]*width), make([]float32, width)})
	}
	return n
}

// sizes returns the widths of the layers.
func (n network) sizes() []int {
	sizes := []int{len(n[0].weights) / len(n[0].bias)}
	for _, l := range n {
		sizes = append(sizes, len(l.bias))
	}
	return sizes
}

// gradient returns the sum of the gradients of a batch, and of its losses.
func (n network) gradient(batch []example) (sum network, loss float64) {
	var parts [trainers]network
	var losses [trainers]float64
	var work sync.WaitGroup
	for k := range trainers {
		work.Go(func() {
			parts[k] = blank(n.sizes())
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

// forward returns the outputs of each layer. Conversions keep the processor from fusing products
// and sums, which would make results depend on it.
func (n network) forward(x []float32) (outputs [][]float32) {
	for i, l := range n {
		out := l.sums(x)
		if i+1 < len(n) {
			for j, sum := range out {
				out[j] = max(sum, 0)
			}
		}
		outputs = append(outputs, out)
		x = out
	}
	return outputs
}

// sums returns the biases plus the weighted inputs. It adds four sums at a time, because each of
// them waits for its last addition.
func (l layer) sums(x []float32) []float32 {
	out := slices.Clone(l.bias)
	n, j := len(x), 0
	for ; j+4 <= len(out); j += 4 {
		rows := l.weights[j*n : (j+4)*n]
		a, b, c, d := rows[:n], rows[n:2*n], rows[2*n:3*n], rows[3*n:4*n]
		s := (*[4]float32)(out[j:])
		s0, s1, s2, s3 := s[0], s[1], s[2], s[3]
		for k, v := range x {
			s0 += float32(a[k] * v)
			s1 += float32(b[k] * v)
			s2 += float32(c[k] * v)
			s3 += float32(d[k] * v)
		}
		s[0], s[1], s[2], s[3] = s0, s1, s2, s3
	}
	for ; j < len(out); j++ {
		for k, w := range l.weights[j*n : (j+1)*n] {
			out[j] += float32(w * x[k])
		}
	}
	return out
}

// addGradient adds the gradient of an example and returns its loss.
func (n network) addGradient(sum network, e example) float64 {
	x := slices.Concat(e.x, e.profile)
	outputs := n.forward(x)
	p := 1 / (1 + math.Exp(-float64(outputs[len(n)-1][0])))
	likelihood, delta := 1-p, []float32{float32(p)}
	if e.speech {
		likelihood, delta[0] = p, float32(p-1)
	}
	for i := len(n) - 1; i >= 0; i-- {
		in := x
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
			if i > 0 {
				add(below, n[i].weights[j*len(in):(j+1)*len(in)], d)
			}
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

// encode appends a judge to data in the form that decodeJudge reads.
func (j judge) encode(data []byte) []byte {
	data = j.alone.encode(data)
	for _, n := range j.informed {
		data = n.encode(data)
	}
	return data
}

// encode appends a network to data in the form that decodeNetwork reads.
func (n network) encode(data []byte) []byte {
	for _, l := range n {
		for _, x := range append(append([]float32(nil), l.weights...), l.bias...) {
			rounded := math.Float32bits(x) + 1<<15
			data = binary.LittleEndian.AppendUint16(data, uint16(rounded>>16))
		}
	}
	return data
}
