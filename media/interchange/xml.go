package interchange

import (
	"bufio"
	"encoding/xml"
	"strconv"
	"strings"
)

// xmlWriter writes indented XML. Attributes are pairs of names and values. The bufio.Writer keeps
// the first error until its Flush.
type xmlWriter struct {
	w    *bufio.Writer
	open []string
}

// newXML writes the XML declaration and a document type, unless the latter is empty.
func newXML(w *bufio.Writer, doctype string) *xmlWriter {
	x := &xmlWriter{w: w}
	x.raw(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	if doctype != "" {
		x.raw("<!DOCTYPE " + doctype + ">\n")
	}
	return x
}

func (x *xmlWriter) raw(text string) { _, _ = x.w.WriteString(text) }

func (x *xmlWriter) escaped(text string) { _ = xml.EscapeText(x.w, []byte(text)) }

func (x *xmlWriter) tag(name string, attributes []string) {
	x.raw(strings.Repeat("  ", len(x.open)))
	x.raw("<" + name)
	for i := 0; i+1 < len(attributes); i += 2 {
		x.raw(" " + attributes[i] + `="`)
		x.escaped(attributes[i+1])
		x.raw(`"`)
	}
}

// start opens an element, which end closes.
func (x *xmlWriter) start(name string, attributes ...string) {
	x.tag(name, attributes)
	x.raw(">\n")
	x.open = append(x.open, name)
}

// end closes the element that was opened last.
func (x *xmlWriter) end() {
	name := x.open[len(x.open)-1]
	x.open = x.open[:len(x.open)-1]
	x.raw(strings.Repeat("  ", len(x.open)) + "</" + name + ">\n")
}

// empty writes an element without content.
func (x *xmlWriter) empty(name string, attributes ...string) {
	x.tag(name, attributes)
	x.raw("/>\n")
}

// leaf writes an element with text.
func (x *xmlWriter) leaf(name, text string, attributes ...string) {
	x.tag(name, attributes)
	x.raw(">")
	x.escaped(text)
	x.raw("</" + name + ">\n")
}

// num returns an integer as text.
func num[T int | int64](n T) string { return strconv.FormatInt(int64(n), 10) }

// oneZero returns "1" for true and "0" for false.
func oneZero(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// upperBool returns "TRUE" or "FALSE".
func upperBool(b bool) string { return strings.ToUpper(strconv.FormatBool(b)) }

// decimal returns a number with at most six decimals and without trailing zeros.
func decimal(f float64) string {
	text := strconv.FormatFloat(f, 'f', 6, 64)
	text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	if text == "-0" {
		return "0"
	}
	return text
}
