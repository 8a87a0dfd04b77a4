package cli

// actAsOwner does nothing: there is no service on Windows.
func actAsOwner(string) error { return nil }
