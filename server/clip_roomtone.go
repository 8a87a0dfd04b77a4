package server

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"

	"roughcut/media"
	"roughcut/pipeline"
	"roughcut/server/api"
	"roughcut/server/problem"
)

// GetClipRoomTone returns the room tone that an export plays in a muted part of a clip.
func (s handlers) GetClipRoomTone(
	ctx context.Context,
	request api.GetClipRoomToneRequestObject,
) (api.GetClipRoomToneResponseObject, error) {
	muted := media.Span{StartMS: request.Params.StartMS, EndMS: request.Params.EndMS}
	if muted.Duration() <= 0 {
		return nil, problem.Unprocessablef("end_ms must be greater than start_ms.")
	}
	wanted, err := s.Store.RoomToneRequest(userOf(ctx), request.ClipUUID, muted)
	if err != nil {
		return nil, err
	}
	samples, err := s.RoomTone(ctx, wanted)
	var fault pipeline.FileFault
	if errors.As(err, &fault) {
		return nil, problem.Conflictf("%s", fault.FileFault())
	}
	if err != nil {
		return nil, err
	}
	if len(samples) == 0 {
		return api.GetClipRoomTone204Response{}, nil
	}
	wav := stereoWAV(samples)
	return api.GetClipRoomTone200AudioWavResponse{Body: bytes.NewReader(wav), ContentLength: int64(len(wav))}, nil
}

// stereoWAV returns a WAV file with 16-bit interleaved stereo at media.SampleRate.
func stereoWAV(samples []int16) []byte {
	const channels, sampleBytes, headerBytes = 2, 2, 44
	size := uint32(len(samples) * sampleBytes)
	out := make([]byte, 0, headerBytes+size)
	number := binary.LittleEndian
	out = append(out, "RIFF"...)
	out = number.AppendUint32(out, headerBytes-8+size)
	out = append(out, "WAVEfmt "...)
	out = number.AppendUint32(out, 16) // bytes of the format
	out = number.AppendUint16(out, 1)  // PCM
	out = number.AppendUint16(out, channels)
	out = number.AppendUint32(out, media.SampleRate)
	out = number.AppendUint32(out, media.SampleRate*channels*sampleBytes)
	out = number.AppendUint16(out, channels*sampleBytes)
	out = number.AppendUint16(out, 8*sampleBytes)
	out = append(out, "data"...)
	out = number.AppendUint32(out, size)
	for _, sample := range samples {
		out = number.AppendUint16(out, uint16(sample))
	}
	return out
}
