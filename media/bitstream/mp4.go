package bitstream

// IsMP4 reports whether a file starts like an MP4 or MOV, judged by the type of its first box
// (ISO/IEC 14496-12, 4.2). It needs the first eight bytes of the file.
func IsMP4(head []byte) bool {
	if len(head) < 8 {
		return false
	}
	switch string(head[4:8]) {
	case "ftyp", "moov", "mdat", "wide":
		return true
	}

	return false
}
