package libav

import (
	"bufio"
	"fmt"
	"image"
	"image/jpeg"
	"math"
	"os"

	"github.com/asticode/go-astiav"

	"roughcut/media"
	"roughcut/media/libav/av"
)

// sprite collects the tiles of a sprite sheet. The final interval is known only at the end, so
// tiles start at the interval for the claimed length. If the recording is longer, every other tile
// is dropped. All memory is Go's.
type sprite struct {
	rate          media.Rate
	width, height int // of a tile
	step          int64
	tiles         []*image.YCbCr // tile k shows second k*step
	scaler        *av.FrameConverter
}

// maxKeptTiles limits the memory of unfinished sheets.
const maxKeptTiles = 2 * media.MaxSpriteTiles

func newSprite(v *media.VideoInfo, claimedMS int64) *sprite {
	scale := min(1, float64(media.SpriteTileWidth)/float64(v.Width), float64(media.SpriteTileHeight)/float64(v.Height))
	side := func(n int) int { return max(2, int(math.Round(float64(n)*scale/2))*2) }
	s := &sprite{rate: v.Rate, width: side(v.Width), height: side(v.Height), step: secondsPerTile(claimedMS)}
	s.scaler = av.NewFrameConverter(av.Canvas{Width: s.width, Height: s.height, Fit: media.Letterbox}, 1)
	return s
}

// secondsPerTile returns the smallest whole number of seconds that keeps a sheet within
// media.MaxSpriteTiles.
func secondsPerTile(durationMS int64) int64 {
	const most = media.MaxSpriteTiles * 1000
	return max(1, (durationMS+most-1)/most)
}

// tileCount counts the tiles of a sprite sheet as they become due.
type tileCount struct {
	rate  media.Rate
	tiles int
	step  int64 // seconds from tile to tile
}

func (s *sprite) count() tileCount { return tileCount{s.rate, len(s.tiles), s.step} }

// wants reports whether a tile is due before a frame.
func (c tileCount) wants(until int64) bool { return c.rate.Frame(int64(c.tiles)*c.step*1000) < until }

// reach counts the tiles before a frame, as addTiles makes them, and reports whether any is due.
func (c *tileCount) reach(until int64) (due bool) {
	for ; c.wants(until); due = true {
		if c.tiles++; c.tiles > maxKeptTiles {
			c.tiles, c.step = (c.tiles+1)/2, c.step*2
		}
	}

	return due
}

// addTiles makes the tiles that fall into the time of a frame, which is shown from grid frame at
// on. The frame stays the caller's.
func (s *sprite) addTiles(from timedFrame, at int64) error {
	for s.count().wants(at + from.count) {
		tile, err := s.makeTile(from)
		if err != nil {
			return err
		}
		if s.tiles = append(s.tiles, tile); len(s.tiles) > maxKeptTiles {
			s.thin()
		}
	}

	return nil
}

// thin drops every other tile.
func (s *sprite) thin() {
	half := s.tiles[:0]
	for i := 0; i < len(s.tiles); i += 2 {
		half = append(half, s.tiles[i])
	}
	clear(s.tiles[len(half):])
	s.tiles, s.step = half, s.step*2
}

// makeTile scales a frame to a tile.
func (s *sprite) makeTile(from timedFrame) (*image.YCbCr, error) {
	small := astiav.AllocFrame()
	defer small.Free()
	copied := from.frame.Clone()
	defer copied.Free()
	if err := s.scaler.Convert(copied, small, from.orient); err != nil {
		return nil, fmt.Errorf("scaling a tile: %w", err)
	}
	return frameImage(small, s.width, s.height), nil
}

// frameImage copies a frame, whose width and height are even, into a Go image.
func frameImage(f *astiav.Frame, width, height int) *image.YCbCr {
	img := image.NewYCbCr(image.Rect(0, 0, width, height), image.YCbCrSubsampleRatio420)
	for i, plane := range []struct {
		to            []byte
		stride        int
		width, height int
	}{
		{img.Y, img.YStride, width, height},
		{img.Cb, img.CStride, width / 2, height / 2},
		{img.Cr, img.CStride, width / 2, height / 2},
	} {
		from, stride := av.PlaneBytes(f, i, plane.height)
		for y := range plane.height {
			copyFullRange(plane.to[y*plane.stride:][:plane.width], from[y*stride:][:plane.width], i > 0)
		}
	}

	return img
}

// copyFullRange converts limited-range samples to full range, as in JPEG.
func copyFullRange(to, from []byte, chroma bool) {
	for i, v := range from {
		n := (int(v) - 16) * 255 / 219
		if chroma {
			n = (int(v)-128)*255/224 + 128
		}
		to[i] = byte(min(255, max(0, n)))
	}
}

// write arranges the tiles for the measured length of the recording and writes the sheet.
func (s *sprite) write(path string, durationMS int64) (media.Sprite, error) {
	seconds := secondsPerTile(durationMS)
	total := int(max(1, (durationMS+seconds*1000-1)/(seconds*1000)))
	sheet := media.Sprite{
		TileWidth:      s.width,
		TileHeight:     s.height,
		TilesPerRow:    media.SpriteColumns,
		TotalTiles:     total,
		SecondsPerTile: int(seconds),
	}
	rows := (total + media.SpriteColumns - 1) / media.SpriteColumns
	img := image.NewYCbCr(
		image.Rect(0, 0, s.width*min(total, media.SpriteColumns), s.height*rows),
		image.YCbCrSubsampleRatio420,
	)
	for i := range img.Cb {
		img.Cb[i], img.Cr[i] = 128, 128
	}
	for k := range total {
		tile := s.tiles[min(int(int64(k)*seconds/s.step), len(s.tiles)-1)]
		copyTile(img, tile, k%media.SpriteColumns*s.width, k/media.SpriteColumns*s.height)
	}

	return sheet, writeJPEG(path, img)
}

// copyTile copies a tile to (x, y) of a sheet. Both are even.
func copyTile(sheet, tile *image.YCbCr, x, y int) {
	width, height := tile.Rect.Dx(), tile.Rect.Dy()
	for row := range height {
		copy(sheet.Y[(y+row)*sheet.YStride+x:][:width], tile.Y[row*tile.YStride:])
	}
	for row := range height / 2 {
		at := (y/2+row)*sheet.CStride + x/2
		copy(sheet.Cb[at:][:width/2], tile.Cb[row*tile.CStride:])
		copy(sheet.Cr[at:][:width/2], tile.Cr[row*tile.CStride:])
	}
}

// writeJPEG writes an image to a path. On failure it leaves no file.
func writeJPEG(path string, img image.Image) (err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("writing an image: %w", err)
	}
	defer func() {
		file.Close()
		if err != nil {
			os.Remove(path)
		}
	}()
	out := bufio.NewWriter(file)
	if err := jpeg.Encode(out, img, &jpeg.Options{Quality: 75}); err != nil {
		return fmt.Errorf("writing an image: %w", err)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing an image: %w", err)
	}
	return file.Close()
}
