// Package interchange writes an edited project in the formats of video editors, and the transcript
// as text. It owns the neutral [Timeline], which it derives from the render plan, one writer for
// each format, the table of formats, and the readers of changed timelines. It never touches files:
// recordings are only named.
//
// All times of a timeline are whole frames at one standard rate. Sources keep their own rate for
// their timecode only.
package interchange
