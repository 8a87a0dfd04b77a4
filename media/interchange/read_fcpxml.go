package interchange

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math/big"
	"net/url"
	"slices"
	"strings"
)

// fcpNode is an element of an FCPXML file.
type fcpNode struct {
	name     string
	attr     map[string]string
	text     []byte // of a text or a part of one; empty for other elements
	children []*fcpNode
}

// readFCPXML reads the spine of the first sequence.
func readFCPXML(data []byte) (Reading, error) {
	root, err := parseFCPXML(data)
	if err != nil {
		return Reading{}, err
	}
	if root.name != "fcpxml" {
		return Reading{}, readErrorf("The file is not FCPXML: its root is <%s>.", shortName(root.name))
	}
	spine := root.find("sequence").find("spine")
	if spine == nil {
		return Reading{}, readErrorf("The file has no sequence with a spine.")
	}
	assets := map[string]*fcpNode{}
	for _, n := range root.child("resources").each() {
		if n.name == "asset" {
			assets[n.attr["id"]] = n
		}
	}

	r := Reading{HasMarkers: true, CaptionsFollow: true}
	var at float64
	for _, n := range spine.children {
		known := len(r.Clips)
		if err := r.fcpItem(n, assets); err != nil {
			return Reading{}, err
		}
		length, err := fcpTime(n.attr["duration"])
		if err != nil {
			return Reading{}, readErrorf("<%s> %q: %v", shortName(n.name), shortName(n.attr["name"]), err)
		}
		seconds, _ := length.Float64()
		if len(r.Clips) > known {
			r.Clips[known].at = at
			seconds = r.Clips[known].End - r.Clips[known].Start
		}

		r.fcpMarkers(n, at)
		at += seconds
	}

	if len(r.Clips) == 0 {
		return Reading{}, readErrorf("The sequence has no clips of recordings.")
	}
	return r, nil
}

// tagReader bounds the bytes of a tag, because the decoder takes many times the memory for its
// attributes.
type tagReader struct {
	*bytes.Reader
	left int
}

// errLongTag is the error of a tagReader.
var errLongTag = errors.New("the tag is too long")

// ReadByte implements io.ByteReader.
func (r *tagReader) ReadByte() (byte, error) {
	if r.left--; r.left < 0 {
		return 0, errLongTag
	}
	return r.Reader.ReadByte()
}

// parseFCPXML parses a document. Entities other than the predefined ones of XML are an error, so
// that they cannot expand.
func parseFCPXML(data []byte) (*fcpNode, error) {
	var open []*fcpNode
	root := &fcpNode{}
	count := 0
	in := &tagReader{Reader: bytes.NewReader(data)}
	for dec := xml.NewDecoder(in); ; {
		in.left = maxTagBytes
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if errors.Is(err, errLongTag) {
			return nil, readErrorf("The file has a tag or a text of more than %d MB.", maxTagBytes>>20)
		}
		if err != nil {
			return nil, readErrorf("The file is not well-formed XML: %v.", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			n := &fcpNode{name: token.Name.Local, attr: map[string]string{}}
			for _, a := range token.Attr {
				n.attr[a.Name.Local] = a.Value
			}
			if count++; count > maxElements {
				return nil, readErrorf("The file has more than %d elements.", maxElements)
			}
			if len(open) == 0 {
				root = n
			} else {
				parent := open[len(open)-1]
				parent.children = append(parent.children, n)
			}

			if open = append(open, n); len(open) > maxDepth {
				return nil, readErrorf("The file is nested more than %d levels deep.", maxDepth)
			}
		case xml.CharData:
			if n := len(open); n > 0 && (open[n-1].name == "text" || open[n-1].name == "text-style") {
				open[n-1].text = append(open[n-1].text, token...)
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}

	return root, nil
}

// each returns the children of a node, none of nil.
func (n *fcpNode) each() []*fcpNode {
	if n == nil {
		return nil
	}
	return n.children
}

// child returns the first child with the given name, or nil.
func (n *fcpNode) child(name string) *fcpNode {
	i := slices.IndexFunc(n.each(), func(c *fcpNode) bool { return c.name == name })
	if i < 0 {
		return nil
	}
	return n.children[i]
}

// find returns the first descendant with the given name, or nil.
func (n *fcpNode) find(name string) *fcpNode {
	for _, c := range n.each() {
		if c.name == name {
			return c
		}
		if found := c.find(name); found != nil {
			return found
		}
	}

	return nil
}

// fcpKept are the children of a clip that Roughcut writes itself or that change no cut.
const fcpKept = " conform-rate adjust-volume adjust-conform marker chapter-marker metadata note rating keyword" +
	" analysis-marker audio-channel-source "

// fcpItem reads an item of the spine.
func (r *Reading) fcpItem(n *fcpNode, assets map[string]*fcpNode) error {
	switch n.name {
	case "gap":
		return nil
	case "asset-clip", "video", "audio":
		return r.fcpClip(n, n.attr["ref"], n.attr["start"], assets)
	case "clip":
		return r.fcpCompound(n, assets)
	}

	r.ignore("<%s> %s", shortName(n.name), shortName(n.attr["name"]))
	return nil
}

// fcpMarkers adds the markers and captions of an item of the spine that starts at a second of the
// timeline.
func (r *Reading) fcpMarkers(n *fcpNode, at float64) {
	first, err := fcpTime(n.attr["start"])
	if err != nil {
		return
	}
	for _, m := range n.children {
		time := m.attr["start"]
		switch m.name {
		case "caption":
			time = m.attr["offset"]
		case "marker", "chapter-marker":
		default:
			continue
		}

		start, err := fcpTime(time)
		if err != nil {
			continue
		}
		seconds, _ := start.Sub(start, first).Float64()
		if m.name == "caption" {
			r.addCaption(m.said(), at+seconds)
		} else {
			r.addMarker(m.attr["value"], at+seconds)
		}
	}
}

// said returns the text of a caption.
func (n *fcpNode) said() string {
	var text strings.Builder
	for _, t := range n.each() {
		if t.name != "text" {
			continue
		}
		text.Write(t.text)
		for _, style := range t.children {
			text.Write(style.text)
		}
		text.WriteString(" ")
	}

	return text.String()
}

// fcpCompound reads a clip element, whose media is a child with its own offset.
func (r *Reading) fcpCompound(n *fcpNode, assets map[string]*fcpNode) error {
	inner := n.find("video")
	if inner == nil {
		inner = n.find("audio")
	}
	if inner == nil {
		r.ignore("The clip %q, which has no media file", shortName(n.attr["name"]))
		return nil
	}

	start, err := fcpTime(n.attr["start"])
	offset, err2 := fcpTime(inner.attr["offset"])
	in, err3 := fcpTime(inner.attr["start"])
	if err := errors.Join(err, err2, err3); err != nil {
		return readErrorf("The clip %q: %v", shortName(n.attr["name"]), err)
	}
	start.Sub(start, offset).Add(start, in)
	return r.fcpClip(n, inner.attr["ref"], start.RatString()+"s", assets)
}

// fcpClip appends a clip of an asset that starts at a time of the asset's timecode.
func (r *Reading) fcpClip(n *fcpNode, ref, from string, assets map[string]*fcpNode) error {
	name := shortName(n.attr["name"])
	asset := assets[ref]
	if asset == nil {
		r.ignore("The clip %q, which has no media file", name)
		return nil
	}

	for _, c := range n.children {
		switch {
		case c.name == "timeMap":
			r.ignore("The speed change of the clip %q", name)
		case c.attr["lane"] != "":
			if c.name != "asset-clip" && c.name != "video" && c.name != "caption" {
				r.ignore("<%s> %q above the clip %q", shortName(c.name), shortName(c.attr["name"]), name)
			}
		case !strings.Contains(fcpKept, " "+c.name+" "):
			r.ignore("<%s> of the clip %q", shortName(c.name), name)
		}
	}

	first, err := fcpTime(asset.attr["start"])
	start, err2 := fcpTime(from)
	length, err3 := fcpTime(n.attr["duration"])
	if err := errors.Join(err, err2, err3); err != nil {
		return readErrorf("The clip %q: %v", name, err)
	}
	if from == "" {
		start.Set(first)
	}
	if n.attr["duration"] == "" {
		if length, err = fcpTime(asset.attr["duration"]); err != nil {
			return readErrorf("The clip %q: %v", name, err)
		}
	}

	start.Sub(start, first)
	clip := ReadClip{FileName: fcpFile(asset), Disabled: n.attr["enabled"] == "0"}
	clip.Start, _ = start.Float64()
	clip.End, _ = start.Add(start, length).Float64()
	known := map[string]*string{
		keyClip: &clip.ClipUUID, keyPrefix + keyEdit: &clip.CutUUID,
		keyPrefix + cutBefore + "." + keyEdit: &clip.Before, keyPrefix + cutAfter + "." + keyEdit: &clip.After,
	}
	for _, md := range n.child("metadata").each() {
		if field := known[md.attr["key"]]; field != nil {
			*field = md.attr["value"]
		}
	}

	r.Clips = append(r.Clips, clip)
	return nil
}

// fcpFile returns the file name of an asset.
func fcpFile(asset *fcpNode) string {
	address := asset.attr["src"] // before 1.9
	if media := asset.child("media-rep"); media != nil {
		address = media.attr["src"]
	}
	name := lastPart(address)
	if plain, err := url.PathUnescape(name); err == nil {
		name = plain
	}
	if name == "" {
		return asset.attr["name"]
	}
	return name
}

// fcpTime returns a time such as 1001/30000s; an empty text is zero.
func fcpTime(text string) (*big.Rat, error) {
	if text == "" {
		return new(big.Rat), nil
	}
	number, ok := strings.CutSuffix(text, "s")
	if !ok || len(number) > 60 || strings.ContainsAny(number, "eEpPxX_") {
		return new(big.Rat), readErrorf("%q is not a time", shortName(text))
	}
	value, ok := new(big.Rat).SetString(number)
	if !ok {
		return new(big.Rat), readErrorf("%q is not a time", shortName(text))
	}
	return value, nil
}
