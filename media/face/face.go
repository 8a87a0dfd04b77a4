// Package face finds faces in grayscale images, and chooses which frames of a recording to search.
// It runs the detector pigo, whose decision trees are embedded. fetch.sh copies them from the Go
// module, and "make native" runs it.
package face

import (
	"cmp"
	"embed"
	"fmt"
	"image"
	"math"
	"slices"

	pigo "github.com/esimov/pigo/core"

	"roughcut/media"
)

//go:embed cascade
var files embed.FS

// Parameters of the detector.
const (
	smallest   = 0.06 // height of the smallest face, as a fraction of the height of the image
	minPixels  = 20   // the trees compare pixels of faces of this height or more
	largest    = 0.9
	shift      = 0.1  // step of the window, as a fraction of its size
	growth     = 1.1  // factor from one size of the window to the next
	overlap    = 0.2  // least intersection over union of two detections of one face
	confidence = 30.0 // faces score 30 to several hundred, patterns up to 20
)

// Finder finds faces. It is safe for concurrent use.
type Finder struct{ detector *pigo.Pigo }

// New returns a Finder. Errors: a build without the decision trees.
func New() (*Finder, error) {
	trees, err := files.ReadFile("cascade/facefinder")
	if err != nil {
		return nil, fmt.Errorf("the face detector is not part of this build, run media/face/fetch.sh: %w", err)
	}
	detector, err := pigo.NewPigo().Unpack(trees)
	if err != nil {
		return nil, fmt.Errorf("reading the face detector: %w", err)
	}
	return &Finder{detector}, nil
}

// Find returns the faces of an image, the most certain first, with the time zero.
func (f *Finder) Find(img *image.YCbCr) (faces []media.Face) {
	width, height := img.Rect.Dx(), img.Rect.Dy()
	least := max(minPixels, int(smallest*float64(height)))
	most := int(largest * float64(min(width, height)))
	if most < least {
		return nil
	}
	found := f.detector.RunCascade(pigo.CascadeParams{
		MinSize: least, MaxSize: most, ShiftFactor: shift, ScaleFactor: growth,
		ImageParams: pigo.ImageParams{Pixels: img.Y, Rows: height, Cols: width, Dim: img.YStride},
	}, 0)
	clusters := f.detector.ClusterDetections(found, overlap)
	slices.SortFunc(clusters, func(a, b pigo.Detection) int { return cmp.Compare(b.Q, a.Q) })
	for i, d := range clusters {
		if d.Q < confidence || slices.ContainsFunc(clusters[:i], func(o pigo.Detection) bool { return inside(d, o) }) {
			continue
		}
		faces = append(faces, media.Face{
			X: float64(d.Col) / float64(width), Y: float64(d.Row) / float64(height),
			Size: float64(d.Scale) / float64(height), Confidence: float64(d.Q),
		})
	}

	return faces
}

// inside reports whether the center of a detection is within another one. The features of a face
// can look like a smaller face.
func inside(d, o pigo.Detection) bool {
	return 2*math.Hypot(float64(d.Col-o.Col), float64(d.Row-o.Row)) < float64(o.Scale)
}
