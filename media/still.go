package media

// StillKind is the file format of a still frame.
type StillKind string

// The values of StillKind.
const (
	StillPNG  StillKind = "png"
	StillJPEG StillKind = "jpeg"
)
