// Package sandbox runs the engines in child processes of the same executable, so that one recording
// can neither end the server nor reach the data of other users.
//
// Engine and Speech implement the interfaces of package pipeline. Each call starts a child, sends
// it one request, and waits for its reply (call.go). The child runs Serve with the engine of the
// process (serve.go). Requests name no paths: the parent opens the files and the child inherits
// them (files.go). The child writes into a private folder, and the parent moves the finished files
// out of it. If the child fails or is killed, the parent removes the folder with everything in it.
//
// A child has limits of memory, processor time and file size that follow from its request
// (limits.go). On Linux it can open only the files of its request, the program itself and the fonts
// of the system (Landlock). Before it reads its request, it gives up all system calls that engines
// do not need (seccomp). It ends with its parent, and its own children end with it.
package sandbox
