package media

import (
	"cmp"
	"math"
	"slices"
)

// Face is a face in a frame of a recording. X and Y are its center, as fractions of the width and
// the height of the upright frame. Size is its height as a fraction of the height of the frame.
type Face struct {
	MS         int64 // of the recording
	X          float64
	Y          float64
	Size       float64
	Confidence float64 // of the detector, from 0
}

// Limits of MainFaces and FaceCenter.
const (
	sameFace  = 2.0  // faces of one person in two frames are at most this many faces apart
	sameSize  = 1.8  // and the larger one is at most this many times as large
	fewFaces  = 0.25 // of the frames; a face in fewer of them is chance, such as a pattern in a shirt
	faceMoves = 0.04 // of the frame: a face that moves less keeps its center
)

// FacesRequest asks for the faces in a recording with video. Keyframes holds the times of its
// keyframes in milliseconds; nil if they are unknown.
type FacesRequest struct {
	Path      string
	Info      Info
	Keyframes []int64
}

// MainFaces returns the face that matters most in the frames of a recording, at most one in each
// frame, in order of time. It is the one whose size and confidence over all frames are greatest.
// frames holds the faces that were found in each frame.
func MainFaces(frames [][]Face) []Face {
	var people [][]Face
	for _, frame := range frames {
		taken := map[int]bool{}
		for _, face := range slices.SortedFunc(slices.Values(frame), func(a, b Face) int {
			return cmp.Compare(b.weight(), a.weight())
		}) {
			nearest, distance := -1, sameFace
			for i, person := range people {
				if d := person[len(person)-1].distance(face); d < distance && !taken[i] {
					nearest, distance = i, d
				}
			}

			if nearest < 0 {
				nearest = len(people)
				people = append(people, nil)
			}

			taken[nearest] = true
			people[nearest] = append(people[nearest], face)
		}
	}

	var main []Face
	most := 0.0
	for _, person := range people {
		sum := 0.0
		for _, face := range person {
			sum += face.weight()
		}
		if sum > most && float64(len(person)) >= fewFaces*float64(len(frames)) {
			main, most = person, sum
		}
	}

	return main
}

func (f Face) weight() float64 { return f.Size * f.Confidence }

// distance returns the distance of two faces in the size of the larger one. Faces of different
// sizes are infinitely far apart.
func (f Face) distance(g Face) float64 {
	if max(f.Size, g.Size) > sameSize*min(f.Size, g.Size) {
		return math.Inf(1)
	}
	return math.Hypot(f.X-g.X, f.Y-g.Y) / max(f.Size, g.Size)
}

// FaceCenter returns where a view of a recording is centered that follows the face. It stays while
// the face moves little, and is the same for faces in the same places.
func FaceCenter(faces []Face) (keys []CropKeyframe) {
	for i := 0; i < len(faces); {
		n := 1
		for i+n < len(faces) && isSteady(faces[i:i+n], faces[i+n]) {
			n++
		}
		held := medianFace(faces[i : i+n])
		keys = append(keys, CropKeyframe{MS: faces[i].MS, X: held.X, Y: held.Y})
		if i+n < len(faces) && n > 1 {
			keys = append(keys, CropKeyframe{MS: faces[i+n-1].MS, X: held.X, Y: held.Y})
		}
		i += n
	}

	return keys
}

// isSteady reports whether a face is where the faces before it are.
func isSteady(before []Face, f Face) bool {
	held := medianFace(before)
	return math.Abs(held.X-f.X) <= faceMoves && math.Abs(held.Y-f.Y) <= faceMoves
}

// medianFace returns the median place of faces.
func medianFace(faces []Face) Face {
	middle := func(of func(Face) float64) float64 {
		var values []float64
		for _, f := range faces {
			values = append(values, of(f))
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	return Face{X: middle(func(f Face) float64 { return f.X }), Y: middle(func(f Face) float64 { return f.Y })}
}
