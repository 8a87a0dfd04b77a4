// Package voices lays out recordings of real voices with exactly known speech and pauses. Only
// tests import it.
//
// The voices of Names are the prompts of Debian's packages asterisk-core-sounds-en-g722, -es-g722
// and -fr-g722, one folder under /usr/share/asterisk/sounds for each voice. Load cuts them into
// phrases at their true edges. Talk puts phrases and pauses into a row and records them in one of
// the Conditions: noise, rooms, telephones, music, automatic gain control. Retakes does the same
// with repeated sentences. Music comes from asterisk-moh-opsound-g722 and the sounds of objects
// from openttd-opensfx. Everything else is synthesized. Encores plays music and sounds twice
// between the phrases.
//
// Detectors learn only from the voices of Names: networks train with them, and they set bounds and
// tables. Two groups of voices measure the detectors: HeldOut are the prompts of
// asterisk-core-sounds-it-g722 and -ru-g722, and Acted come from fillets-ng-data-cs and
// fillets-ng-data-nl. The goals of `make scorecard` apply to them.
//
//	r := voices.Talk(t, 1, "en_US_f_Allison", "street", voices.Options{Seconds: 120})
//	heard, err := detect.MeasureVoice(ctx, bytes.NewReader(r.Raw()), r.DurationMS, nil)
//	edits := detect.Edits(heard, detect.Settings{Pacing: 50})
//	// Compare edits with r.Speech and r.Pauses.
//
//	r = voices.Retakes(t, 1, "es_MX_f_Allison", "hard")
//	// r.Groups holds the true takes, r.Words a perfect transcript of invented words.
//
// All recordings follow from their arguments, so a failure repeats. The package needs ffmpeg. It
// caches decoded prompts next to the footage of package mediatest.
package voices
