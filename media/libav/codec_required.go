package libav

import (
	"strings"

	"github.com/asticode/go-astiav"
)

// What recordings are written with, besides the decoders that they are read with.
var (
	neededEncoders = []string{"libx264", "libx265", "aac"}
	neededFilters  = []string{
		"buffer",
		"buffersink",
		"bwdif",
		"scale",
		"zscale",
		"tonemap",
		"format",
		"transpose",
		"hflip",
		"vflip",
	}
)

// Missing names what the linked libav was built without and the engine needs, as "decoder h264". A
// build of this project misses nothing; that of a system may.
func (e *Engine) Missing() []string {
	var missing []string
	for _, name := range strings.Split(allowedDecoders, ",") {
		if astiav.FindDecoderByName(name) == nil {
			missing = append(missing, "decoder "+name)
		}
	}
	for _, name := range neededEncoders {
		if astiav.FindEncoderByName(name) == nil {
			missing = append(missing, "encoder "+name)
		}
	}
	for _, name := range neededFilters {
		if astiav.FindFilterByName(name) == nil {
			missing = append(missing, "filter "+name)
		}
	}
	return missing
}
