package edge

// A recording has one voice, or a few, in one room. Its phrases end alike: where noise hides how
// the sound decays after one phrase, a clear pause nearby tells.

const (
	neighbors    = 12 // edges before and after an edge that share its profile
	profileBands = 4  // into which the bands of a frame are combined
	joined       = bands / profileBands
	fullProfile  = 16 // edges of a profile that needs no caution
	profiled     = groups*profileBands + 2*windows + 1 + commons + 1
)

// profiles returns the profile of the recording around each edge: the mean features of the first
// frame outside the speech at the edges nearby, and their number.
func profiles(edges []found) [][]float32 {
	sides := make([][]float32, len(edges))
	for i, e := range edges {
		if e.speech > 0 {
			sides[i] = profileFeatures(e.features[min(e.speech, len(e.features)-1)])
		}
	}

	out := make([][]float32, len(edges))
	for i := range edges {
		out[i] = make([]float32, profiled)
		count := float32(0)
		for _, side := range sides[max(i-neighbors, 0):min(i+neighbors+1, len(sides))] {
			for k, x := range side {
				out[i][k] += x
			}
			if side != nil {
				count++
			}
		}

		for k := range profiled - 1 {
			out[i][k] /= max(count, 1)
		}
		out[i][profiled-1] = min(count, fullProfile)*2/fullProfile - 1
	}

	return out
}

// profileFeatures returns the features of a frame that a profile averages: the levels around it in
// a few wide bands, what the voice network hears, and the common features.
func profileFeatures(x []float32) (out []float32) {
	for i := 0; i < groups*bands; i += joined {
		sum := float32(0)
		for _, l := range x[i : i+joined] {
			sum += l
		}
		out = append(out, sum/joined)
	}

	out = append(out, x[groups*bands:][:2*windows+1]...)
	return append(out, x[inputs-commons:]...)
}
