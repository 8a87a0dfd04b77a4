// Package e2e tests the whole program: its commands, the running server, the web pages in Chromium
// and the desktop window.
//
// The test binary starts itself as the program, so the tests drive the code they were built with.
// The name of a file says what its tests drive: cut_ and cli_ the commands, serve_ a server over
// HTTP, ui_ the pages in a browser, desktop_ the window (build tag desktop). scorecard_ measures
// the engines on generated talks and recorded voices. harness_ holds what the tests share.
//
// ROUGHCUT_LONG=1 also runs the tests that take minutes, ROUGHCUT_TIMING=1 those that judge clocks.
// ROUGHCUT_SCREENSHOTS names a folder for screenshots of the pages and the window.
package e2e
