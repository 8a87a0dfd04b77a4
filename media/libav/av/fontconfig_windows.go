package av

// fontconfigVersion returns "": on Windows, libass finds the system's fonts through DirectWrite.
func fontconfigVersion() string { return "" }
