package av

import (
	"crypto/sha256"
	"slices"
	"testing"

	"github.com/asticode/go-astiav"

	"roughcut/media/mediatest"
)

// readPacket is what a range of packets holds.
type readPacket struct {
	i    int
	pts  int64
	key  bool
	data [sha256.Size]byte
}

// A reader that has released the index of the file reads the same packets as before, from any
// packet on.
func TestReleasedReadersReadTheSamePackets(t *testing.T) {
	for name, c := range map[string]struct {
		options  mediatest.TalkOptions
		released bool
	}{
		"B-frames":   {mediatest.TalkOptions{GOP: 30, BFrames: 3}, true},
		"variable":   {mediatest.TalkOptions{Variable: true}, true},
		"late video": {mediatest.TalkOptions{VideoStartMS: 300, BFrames: 2}, true},
		"matroska":   {mediatest.TalkOptions{Container: "mkv"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			c.options.Seconds = 6
			r, err := OpenPackets(t.Context(), mediatest.Talk(t, c.options).Path, astiav.MediaTypeVideo)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if err := r.ReadSparing(func(*astiav.Packet) error { return nil }); err != nil {
				t.Fatal(err)
			}
			n := len(r.Times)
			read := func() (all []readPacket) {
				for _, part := range [][2]int{{n / 2, n}, {0, n / 3}, {n - 1, n}} {
					err := r.ReadRange(part[0], part[1], func(i int, p *astiav.Packet) error {
						key := p.Flags().Has(astiav.PacketFlagKey)
						all = append(all, readPacket{i, p.Pts(), key, sha256.Sum256(PacketData(p))})
						return nil
					})
					if err != nil {
						t.Fatal(err)
					}
				}
				return all
			}
			want := read()
			r.Release()
			if got := r.Source.Format == nil; got != c.released {
				t.Errorf("released: %v, want %v", got, c.released)
			}
			if got := read(); len(want) < n/2 || !slices.Equal(got, want) {
				t.Errorf("read %d packets, want %d, or not the same ones", len(got), len(want))
			}
		})
	}
}
