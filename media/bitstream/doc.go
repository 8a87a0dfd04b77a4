// Package bitstream reads and rewrites the headers of H.264 and HEVC packets: decoder configuration
// records, parameter sets, and the NAL units of one packet. It also recognizes MP4 files, and finds
// jumps in the clock of MPEG transport streams.
//
// It works on byte slices alone and needs no codec library. All input is untrusted: damaged data
// yields an error or false, never a panic. The functions keep no reference to their input, except
// that EachUnit passes subslices of the packet.
package bitstream
