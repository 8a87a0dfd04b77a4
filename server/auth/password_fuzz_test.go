package auth

import "testing"

// A stored hash, as a backup could bring it, is read with parameters within the limits, or refused.
func FuzzPasswordHash(f *testing.F) {
	for _, seed := range []string{
		"$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0$a2V5a2V5a2V5a2V5a2V5a2V5a2V5a2V5a2V5a2V5",
		"$argon2id$v=19$m=4294967295,t=1,p=255$$", "$argon2i$v=19$m=1,t=1,p=1$a$b", "$$$$$", "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		h, err := parseHash(text)
		if err == nil && (h.memoryKiB == 0 || h.memoryKiB > maxArgonMemoryKiB || h.passes == 0 ||
			h.passes > maxArgonPasses || h.threads == 0 || len(h.key) < 16) {
			t.Errorf("%q is read as %+v", text, h)
		}
	})
}
