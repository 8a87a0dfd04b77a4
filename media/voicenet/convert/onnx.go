package main

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
)

// Field numbers of onnx.proto3 (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3).
const (
	modelGraph    = 7
	graphNode     = 1
	nodeAttribute = 5
	attrName      = 1
	attrTensor    = 5
	attrGraph     = 6
	tensorName    = 8
	tensorRaw     = 9
)

// branch16kHz is the attribute of the topmost If node that holds the network for 16 kHz.
const branch16kHz = "then_branch"

var errFormat = errors.New("this is not an ONNX file")

// field is one text, byte or message field of a protobuf message.
type field struct {
	number int
	bytes  []byte
}

// fieldsOf splits a protobuf message. It skips numbers. Errors: errFormat.
func fieldsOf(message []byte) ([]field, error) {
	var out []field
	for len(message) > 0 {
		key, n := binary.Uvarint(message)
		if n <= 0 {
			return nil, errFormat
		}
		value, rest, err := cutValue(key&7, message[n:])
		if err != nil {
			return nil, err
		}
		if key&7 == lengthDelimited {
			out = append(out, field{int(key >> 3), value})
		}
		message = rest
	}

	return out, nil
}

// lengthDelimited is the wire type of texts, bytes and messages.
const lengthDelimited = 2

// cutValue cuts the value of a wire type off the rest of a message.
func cutValue(wireType uint64, message []byte) (value, rest []byte, err error) {
	size := uint64(0)
	switch wireType {
	case 1:
		size = 8
	case 5:
		size = 4
	case 0, lengthDelimited:
		number, n := binary.Uvarint(message)
		if n <= 0 {
			return nil, nil, errFormat
		}
		if message = message[n:]; wireType == lengthDelimited {
			size = number
		}
	default:
		return nil, nil, errFormat
	}

	if size > uint64(len(message)) {
		return nil, nil, errFormat
	}
	return message[:size], message[size:], nil
}

// tensorsOf returns the constant tensors of the 16 kHz network by name.
func tensorsOf(model []byte) (map[string][]float32, error) {
	graphs, err := messagesAt(model, modelGraph)
	if err != nil || len(graphs) != 1 {
		return nil, errFormat
	}
	attributes, err := messagesAt(graphs[0], graphNode, nodeAttribute)
	if err != nil {
		return nil, err
	}
	for _, a := range attributes {
		name, err := messagesAt(a, attrName)
		if err != nil {
			return nil, err
		}
		if len(name) != 1 || string(name[0]) != branch16kHz {
			continue
		}
		tensors, err := messagesAt(a, attrGraph, graphNode, nodeAttribute, attrTensor)
		if err != nil {
			return nil, err
		}
		return namedTensors(tensors)
	}

	return nil, errors.New("the network has no branch for 16 kHz")
}

// messagesAt returns the messages at a path of field numbers.
func messagesAt(message []byte, path ...int) ([][]byte, error) {
	level := [][]byte{message}
	for _, number := range path {
		var next [][]byte
		for _, m := range level {
			fields, err := fieldsOf(m)
			if err != nil {
				return nil, err
			}
			for _, f := range fields {
				if f.number == number {
					next = append(next, f.bytes)
				}
			}
		}

		level = next
	}

	return level, nil
}

// namedTensors decodes the tensors of layers, recognized by their names.
func namedTensors(tensors [][]byte) (map[string][]float32, error) {
	out := map[string][]float32{}
	for _, tensor := range tensors {
		fields, err := fieldsOf(tensor)
		if err != nil {
			return nil, err
		}
		var name string
		var raw []byte
		for _, f := range fields {
			switch f.number {
			case tensorName:
				name = string(f.bytes)
			case tensorRaw:
				raw = f.bytes
			}
		}

		if !slices.ContainsFunc([]string{"stft.", "encoder.", "decoder."}, func(p string) bool {
			return strings.HasPrefix(name, p)
		}) {
			continue
		}

		values := make([]float32, len(raw)/4)
		for i := range values {
			values[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
		out[name] = values
	}

	return out, nil
}
