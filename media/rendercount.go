package media

// FrameCounts says how a render makes its frames.
type FrameCounts struct {
	Inputs      []InputCounts // one for each input of the plan
	AudioReused bool          // an earlier render encoded the audio
	Encoder     string        // of RenderResult, empty if no frame is encoded
	// MissingGlyphs are the characters of the captions that no font of the machine can draw.
	MissingGlyphs string
	H264Because   string // of RenderResult
	H264Input     int    // the input with this reason, negative for all of them together
}

// InputCounts says how the frames of one input are made.
type InputCounts struct {
	Refused     bool  // has video, but no packet can be copied
	Copied      int64 // frames
	Reused      int64 // frames that an earlier render encoded
	Encoded     int64 // frames
	CopiedBytes int64 // of the copied packets, 0 if unknown
	ReusedBytes int64
}

// CountRequest describes a render whose frames are counted.
type CountRequest struct {
	Plan RenderPlan
	// Packets lists the packets of each input that can be copied. It holds only packets that are
	// known without reading the recordings.
	Packets []PacketIndex
	// Uneven tells for each input whether its frames are not evenly spaced, or have another rate
	// than the plan. Then Packets lists none, and they come from the index of the file, if it has
	// one.
	Uneven []bool
}
