// Package edge finds where speech starts and ends in sound: in noise, over music and in rooms that
// echo.
//
// Energy alone finds the edges of speech in quiet rooms only. A small network judges each frame
// around an edge by the levels in narrow bands, compared with the background of the pause.
package edge
