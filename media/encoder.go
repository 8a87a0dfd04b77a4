package media

// Values of the setting that chooses the video encoder, besides the names of hardware encoders.
const (
	EncoderAuto     = "auto"
	EncoderSoftware = "software"
)

// EncoderChoice is the video encoder of exports that are encoded in full and of proxies, and how it
// was chosen. The zero value stands for software.
type EncoderChoice struct {
	Wanted string        `json:"wanted"` // EncoderAuto, EncoderSoftware or the name of a hardware encoder
	Name   string        `json:"name"`   // the hardware encoder that passed its self-test, or EncoderSoftware
	Tests  []EncoderTest `json:"tests"`  // the self-tests, in order
}

// EncoderTest is the self-test of a hardware encoder.
type EncoderTest struct {
	Name  string `json:"name"`
	Fault string `json:"fault"` // empty if the encoder passed
}

// Hardware reports whether a hardware encoder was chosen.
func (c EncoderChoice) Hardware() bool { return c.Name != "" && c.Name != EncoderSoftware }

// Fault returns why the hardware encoder that the setting names is not in use. It is empty if the
// setting names none, or if the encoder passed its self-test.
func (c EncoderChoice) Fault() string {
	for _, test := range c.Tests {
		if test.Name == c.Wanted {
			return test.Fault
		}
	}

	return ""
}
