package voices_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"roughcut/media/mediatest/voices"
)

// failure records why a test fails.
type failure struct {
	testing.TB
	why string
}

func (*failure) Helper() {}

func (f *failure) Fatalf(format string, args ...any) {
	f.why = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// Voices that grade detectors teach none, whether they are installed or not.
func TestHeldOutVoicesDoNotTrain(t *testing.T) {
	for _, voice := range []string{"it_IT_m_Carlo", "ru_RU_f_IvrvoiceRU", "cs_CZ_f_fillets"} {
		if slices.Contains(voices.Names(), voice) {
			t.Errorf("%s is a voice for training", voice)
		}
		f, done := &failure{TB: t}, make(chan struct{})
		go func() {
			defer close(done)
			voices.TrainingTalk(f, 1, voice, voices.Options{Seconds: 1})
		}()
		<-done
		want := fmt.Sprintf("the voice %q must not train; use one of %q", voice, voices.Names())
		if f.why != want {
			t.Errorf("a talk for training with %s ends with %q, want %q", voice, f.why, want)
		}
	}
}
