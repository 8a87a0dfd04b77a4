// Package edge finds where speech starts and ends in sound: in noise, over music and in rooms that
// echo.
//
// Energy alone finds the edges of speech in quiet rooms only. A small network judges each frame
// around an edge by the levels in narrow bands, compared with the background of the pause. The edge
// goes to the place that is most likely to be within 30 ms of the true one.
//
// Noise often hides how speech ends. The ends of one voice in one room are alike, so a second round
// judges each end again with the profile of the ends nearby, as the first round found them.
package edge
