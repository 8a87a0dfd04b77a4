package libav

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/bitstream"
	"roughcut/media/libav/av"
)

// Limits of the change of decoded frames, in mean luma of a block over all blocks. A blinking text
// cursor stays below stillFrames. busyFrames is about half a frame that changes a little.
const (
	motionRate     = 4 // compared frames in a second
	motionBlock    = 8 // pixels in each direction
	motionNoise    = 3 // change of the mean luma of a block by noise and compression
	stillFrames    = 0.004
	busyFrames     = 2.0
	motionRowPitch = 2 // every other row of a block is enough
)

// frameMotion measures how much decoded frames change. It compares the mean luma of blocks, which
// suppresses noise, and removes the change that all blocks share, as from automatic exposure.
type frameMotion struct {
	rate    media.Rate
	changes []float64 // of the finished seconds
	next    int64     // number of the next frame to compare, at motionRate
	last    []int     // sums of the blocks of the last compared frame
	now     []int
	most    []int // largest change of each block in the current second
}

// add adds a frame that is shown from grid frame at on.
func (m *frameMotion) add(f *astiav.Frame, at int64) {
	number := m.rate.MS(at) * motionRate / 1000
	if number < m.next {
		return
	}
	m.finishBefore(number / motionRate)
	m.next = number + 1
	m.now = appendBlocks(m.now[:0], f)
	if len(m.last) == len(m.now) {
		m.compare()
	} else {
		m.most = make([]int, len(m.now))
	}

	m.last, m.now = m.now, m.last
}

// compare adds the difference of two frames to the current second.
func (m *frameMotion) compare() {
	shared := 0
	for i, sum := range m.now {
		shared += sum - m.last[i]
	}
	shared /= max(len(m.now), 1)
	for i, sum := range m.now {
		change := sum - m.last[i] - shared
		m.most[i] = max(m.most[i], change, -change)
	}
}

// finishBefore ends the seconds before a second.
func (m *frameMotion) finishBefore(second int64) {
	const pixels = motionBlock * motionBlock / motionRowPitch
	for int64(len(m.changes)) < second {
		sum := 0
		for i, most := range m.most {
			sum += max(most-motionNoise*pixels, 0)
			m.most[i] = 0
		}

		m.changes = append(m.changes, float64(sum)/float64(pixels*max(len(m.most), 1)))
	}
}

// motion returns the motion of the whole recording.
func (m *frameMotion) motion(durationMS int64) []byte {
	seconds := (durationMS + 999) / 1000
	m.finishBefore(seconds)
	return media.MotionOf(m.changes[:seconds], stillFrames, busyFrames)
}

// appendBlocks appends the sum of the luma of each block of a frame. Incomplete blocks at the right
// and bottom edges are left out.
func appendBlocks(to []int, f *astiav.Frame) []int {
	const low = 0x00ff00ff00ff00ff
	luma, stride := av.PlaneBytes(f, 0, f.Height())
	for y := 0; y+motionBlock <= f.Height(); y += motionBlock {
		for x := 0; x+motionBlock <= f.Width(); x += motionBlock {
			var sums uint64 // four sums of 16 bits
			for row := y; row < y+motionBlock; row += motionRowPitch {
				eight := binary.LittleEndian.Uint64(luma[row*stride+x:])
				sums += eight&low + eight>>8&low
			}

			to = append(to, int(sums*0x0001000100010001>>48))
		}
	}

	return to
}

// Limits of the data between keyframes in one second, relative to the data of one keyframe.
const (
	stillPackets = 0.01
	busyPackets  = 3.0
)

// packetMotion measures how much the video changes by its packets. Between keyframes, an encoder
// spends data on what changes.
type packetMotion struct {
	complexity func(packet []byte) float64
	keys       []float64 // complexity of each keyframe
	others     []interPacket
}

// interPacket is a packet that is not a keyframe.
type interPacket struct {
	second     int32
	complexity float32
}

func newPacketMotion(t *av.Track) *packetMotion {
	return &packetMotion{complexity: bitstream.Complexity(t.Params.ExtraData())}
}

// add adds a packet that is shown at a clip time.
func (m *packetMotion) add(p *astiav.Packet, ms int64) {
	complexity := m.complexity(av.PacketData(p))
	if p.Flags().Has(astiav.PacketFlagKey) {
		m.keys = append(m.keys, complexity)
		return
	}

	m.others = append(m.others, interPacket{int32(max(ms, 0) / 1000), float32(complexity)})
}

// headerShare is the share of packets that change nothing even in a recording that moves. They
// consist of headers.
const headerShare = 0.02

// motion returns the motion of the whole recording. It returns nil if most packets are keyframes,
// whose size says nothing about change: see sprite.motion.
func (m *packetMotion) motion(durationMS int64) []byte {
	if len(m.others) < len(m.keys) || len(m.keys) == 0 {
		return nil
	}
	sorted := make([]float32, len(m.others))
	for i, p := range m.others {
		sorted[i] = p.complexity
	}
	slices.Sort(sorted)
	slices.Sort(m.keys)
	headers, key := sorted[int(headerShare*float64(len(sorted)))], m.keys[len(m.keys)/2]
	if key <= 0 {
		return nil
	}
	changes := make([]float64, (durationMS+999)/1000)
	for _, p := range m.others {
		if int(p.second) < len(changes) {
			changes[p.second] += float64(max(p.complexity-headers, 0)) / key
		}
	}

	apart := int(m.keySeconds(durationMS))
	return withoutStart(media.MotionOf(movingAverage(changes, apart), stillPackets, busyPackets), apart+1)
}

// withoutStart limits the motion of the first seconds to the motion of the second after them,
// because rate control starts coarse and then refines a still image.
func withoutStart(motion []byte, seconds int) []byte {
	if seconds < len(motion) {
		for i := range seconds {
			motion[i] = min(motion[i], motion[seconds])
		}
	}

	return motion
}

// keySeconds returns the average distance of keyframes.
func (m *packetMotion) keySeconds(durationMS int64) float64 {
	return float64(durationMS) / 1000 / float64(max(len(m.keys), 1))
}

// movingAverage returns the mean of each value and those up to reach/2 before and after it. With
// the distance of keyframes as reach, it hides how encoders spread data between them.
func movingAverage(values []float64, reach int) []float64 {
	out := make([]float64, len(values))
	for i := range values {
		near := values[max(i-reach/2, 0):min(i+reach/2+1, len(values))]
		for _, v := range near {
			out[i] += v / float64(len(near))
		}
	}

	return out
}

// Limits of the change between two tiles of a sprite sheet, in mean luma.
const (
	stillTiles = stillFrames
	busyTiles  = 4.0
)

// tileMotion returns the motion from each stride-th tile of a sheet to the next one. still marks
// the steps without any visible change.
func (s *sprite) tileMotion(stride int) (motion []byte, still []bool) {
	var changes []float64
	for i := stride; i < len(s.tiles); i += stride {
		change := tileChange(s.tiles[i-stride].Y, s.tiles[i].Y)
		changes, still = append(changes, change), append(still, change <= stillTiles)
	}

	return media.MotionOf(changes, stillTiles, busyTiles), still
}

// motion returns the motion of a whole recording. Each tile must show its own time, not the nearest
// keyframe.
func (s *sprite) motion(durationMS int64) []byte {
	tiles, _ := s.tileMotion(1)
	if len(tiles) == 0 {
		return nil
	}
	tiles = withoutStart(tiles, 1)
	motion := make([]byte, (durationMS+999)/1000)
	for i := range motion {
		motion[i] = tiles[min(i/int(s.step), len(tiles)-1)]
	}
	return motion
}

// tileChange returns the mean difference of two tiles, without noise and without the change that
// all pixels share.
func tileChange(a, b []byte) float64 {
	shared, sum := 0, 0
	for i := range a {
		shared += int(b[i]) - int(a[i])
	}
	shared /= max(len(a), 1)
	for i := range a {
		change := int(b[i]) - int(a[i]) - shared
		sum += max(change-motionNoise, -change-motionNoise, 0)
	}

	return float64(sum) / float64(max(len(a), 1))
}

// tileSlackMS is how far a tile may be from its time, because it shows the nearest keyframe.
const tileSlackMS = noProxyKeyframeGap * 1000 / 2

// confirm corrects the motion from packets by the tiles of the sheet. Data without a visible change
// does not count as motion: the encoder may be refining a still image. If tiles change more than
// the packets suggest, the seconds with the most data get the motion of the tiles, because noise
// hides motion in the data. Tiles show keyframes, which are keySeconds apart on average.
func (s *sprite) confirm(motion []byte, keySeconds float64) {
	stride := max(1, int(math.Ceil(keySeconds/float64(s.step))))
	step := s.step * int64(stride)
	tiles, still := s.tileMotion(stride)
	for k, tile := range withoutStart(tiles, 1) {
		seconds := motion[min(int64(k)*step, int64(len(motion))):min(int64(k+1)*step, int64(len(motion)))]
		if len(seconds) == 0 {
			return
		}
		most := slices.Max(seconds)
		for i, value := range seconds {
			if tile > most && value >= most-min(most, media.MotionOctave/2) {
				seconds[i] = byte(min(int(value)+int(tile-most), math.MaxUint8))
			}
		}
	}

	for i := range motion {
		at := int64(i) * 1000
		from := max(at-tileSlackMS, 0) / (step * 1000)
		to := (at + 1000 + tileSlackMS) / (step * 1000)
		if from < int64(len(still)) && !slices.Contains(still[from:min(to+1, int64(len(still)))], false) {
			motion[i] = 0
		}
	}
}
