package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"roughcut/media"
	"roughcut/media/libav"
	"roughcut/pipeline"
	"roughcut/pipeline/detect"
	"roughcut/store"
)

// cutJob is one run of `roughcut cut`.
type cutJob struct {
	inputs      []string
	output      string
	pacing      int
	falseStarts int
	fillers     bool
	options     store.CutOptions
	language    string
	vocabulary  []string // names and terms, as store.ValidVocabulary returns them
	transcripts []string // paths, as in inputs
	imported    []*media.ImportedTranscript
	resolution  string
	codec       string
	aspect      string
	captions    string
	censor      string
	normalize   bool
	denoise     bool
	audioClips  audioClips
	dryRun      bool
	json        bool
	force       bool
	timelines   timelineFlags
	engine      pipeline.Engine
	speech      pipeline.Speech
	out         io.Writer // receives the edits
	status      io.Writer // receives progress and messages
}

// cutEdit is an edit of `cut --json`. Its times refer to all inputs in sequence.
type cutEdit struct {
	Type       string  `json:"type"`
	StartMS    int64   `json:"start_ms"`
	EndMS      int64   `json:"end_ms"`
	Active     bool    `json:"active"`
	Reason     string  `json:"reason"`
	Confidence float64 `json:"confidence"`
	Action     string  `json:"action"`                // cut or mute
	TakeGroup  string  `json:"take_group,omitempty"`  // the take group of which it removes a take
	TakeNumber int     `json:"take_number,omitempty"` // from 1
}

// cutReport is the output of `cut --json`.
type cutReport struct {
	Inputs           []string         `json:"inputs"`
	DurationMS       int64            `json:"duration_ms"`
	OutputDurationMS int64            `json:"output_duration_ms"`
	Language         *string          `json:"language"`
	Edits            []cutEdit        `json:"edits"`
	TakeGroups       []cutTakeGroup   `json:"take_groups"`
	Transcript       media.Transcript `json:"transcript"`
}

func cutCommand() *cobra.Command {
	job := cutJob{}
	cmd := &cobra.Command{
		Use:   "cut INPUT... -o OUTPUT",
		Short: "Cut recordings into one video, without a server",
		Long:  cutHelp(),
		Example: `  roughcut cut talk.mp4 -o talk-cut.mp4
  roughcut cut part1.mov part2.mov -o talk.mp4 --pacing 70 --aspect 9:16 --resolution 1080p
  roughcut cut talk.mp4 -o talk-cut.mp4 --captions karaoke --normalize --denoise --censor
  roughcut cut talk.mp4 -o talk-cut --timeline fcpxml,otio,srt
  roughcut cut talk.mp4 --dry-run --json >edits.json`,
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, inputs []string) error {
			settings, err := loadSettings(cmd.Flags())
			if err != nil {
				return err
			}
			job.inputs = inputs
			job.engine = libav.New()
			job.speech = Speech{Choice: settings.SpeechModel, Dir: settings.modelsDir()}
			job.out, job.status = cmd.OutOrStdout(), cmd.ErrOrStderr()
			if err := job.check(); err != nil {
				return err
			}
			return job.run(cmd.Context())
		},
	}
	f := cmd.Flags()
	f.StringVarP(
		&job.output,
		"output",
		"o",
		"",
		"file to write; its extension is the format: "+orList(outputExtensions())+"; or base name of timelines",
	)
	f.IntVar(&job.pacing, "pacing", 50, "0 to 100: higher values cut shorter pauses and keep less of each pause")
	f.IntVar(&job.falseStarts, "false-starts", 50, "0 to 100: higher values find more false starts")
	f.BoolVar(&job.fillers, "fillers", false, "also cut fillers such as um and uh")
	addCutOptions(f, &job.options)
	f.StringVar(&job.language, "language", "", "spoken language, such as en or pt-BR (default: detect it)")
	f.StringSliceVar(
		&job.vocabulary,
		"vocabulary",
		nil,
		`names and terms for the speech model, separated by commas: "Ada Lovelace,Kubernetes"`,
	)
	f.StringArrayVar(
		&job.transcripts,
		"transcript",
		nil,
		"transcript of a recording: SRT, WebVTT, or JSON of Whisper or WhisperX; one for each recording, in order",
	)
	f.StringVar(&job.resolution, "resolution", media.AsRecorded, "short side: "+orList(media.Resolutions()))
	f.StringVar(&job.aspect, "aspect", media.AsRecorded, "aspect ratio: "+orList(media.AspectRatios()))
	f.StringVar(&job.codec, "video-codec", media.CodecH264, "h264, or source to keep HEVC if all recordings are HEVC")
	f.StringVar(&job.captions, "captions", "", "draw captions in a style: "+orList(media.CaptionStyleNames()))
	job.audioClips.addTo(f)
	f.BoolVar(&job.normalize, "normalize", false, "normalize loudness to -14 LUFS")
	f.BoolVar(&job.denoise, "denoise", false, "reduce background noise")
	f.StringVar(&job.censor, "censor", media.CensorNone, "profane words: none, mute or bleep")
	f.Lookup("censor").NoOptDefVal = media.CensorBleep
	f.String("model", "", "path or name of a ggml Whisper model (SPEECH_MODEL)")
	f.BoolVar(&job.dryRun, "dry-run", false, "print the edits and write no video")
	f.BoolVar(&job.json, "json", false, "print edits and transcript as JSON")
	addTimelineFlags(f, &job.timelines)
	f.BoolVar(&job.force, "force", false, "replace an existing output file")
	return cmd
}

// cutHelp returns the long help, with the caption styles.
func cutHelp() string {
	var styles strings.Builder
	for _, style := range media.CaptionStyles() {
		fmt.Fprintf(&styles, "\n    %-9s %s", style.Name, style.Description)
	}
	return `Cut one or more recordings into one video, without a server. Roughcut transcribes the recordings, cuts
silences and false starts, and renders the rest. The recordings stay unchanged.

At --pacing 0, only pauses over 2.5 s are cut and 0.4 s remain on each side. At 100, pauses over 0.15 s are
cut and 0.04 s remain.

Segments without captions or other changes to the frame are copied losslessly from the first keyframe.
HEVC is copied with --video-codec source if all recordings are HEVC and keep their frame format. Otherwise
the video is H.264.

During recordings without video, the video shows their waveform (--waveform) and a cover (--cover).

Finding fillers and drawing captions requires a speech model ("roughcut models download base.en").
Without one, Roughcut finds silences and repeated takes by sound.

With --timeline, Roughcut also writes the cuts for other editors, or the text. The files have the name of the
output with their own extension. Without the extension .mp4, OUTPUT is only their base name, and no video is
rendered.

Caption styles:
` + styles.String() + `

Timeline formats:
` + timelineHelp()
}

// check validates the flags and the files before any work starts.
func (c *cutJob) check() error {
	if c.pacing < 0 || c.pacing > 100 {
		return usageError{errors.New("--pacing must be 0 to 100")}
	}
	if c.falseStarts < 0 || c.falseStarts > 100 {
		return usageError{errors.New("--false-starts must be 0 to 100")}
	}
	if err := checkCutOptions(c.options); err != nil {
		return err
	}
	if c.resolution == "" { // as without the flag
		c.resolution = media.AsRecorded
	}
	if names := media.Resolutions(); !slices.Contains(names, c.resolution) {
		return usageError{fmt.Errorf("--resolution must be %s, not %q", orList(names), c.resolution)}
	}
	if names := media.AspectRatios(); !slices.Contains(names, c.aspect) {
		return usageError{fmt.Errorf("--aspect must be %s, not %q", orList(names), c.aspect)}
	}
	if c.codec != media.CodecH264 && c.codec != media.CodecSource {
		return usageError{fmt.Errorf("--video-codec must be h264 or source, not %q", c.codec)}
	}
	if styles := media.CaptionStyleNames(); c.captions != "" && !slices.Contains(styles, c.captions) {
		return usageError{fmt.Errorf("--captions must be %s, not %q", orList(styles), c.captions)}
	}
	switch c.censor {
	case media.CensorNone, media.CensorMute, media.CensorBleep:
	default:
		return usageError{fmt.Errorf("--censor must be none, mute or bleep (written with =), not %q", c.censor)}
	}
	if err := cmp.Or(c.audioClips.check(), c.timelines.check()); err != nil {
		return err
	}
	terms, err := store.ValidVocabulary("vocabulary", c.vocabulary)
	if err != nil {
		return usageError{fmt.Errorf("--vocabulary: %w", err)}
	}
	c.vocabulary = terms
	if !languages.MatchString(c.language) {
		return usageError{fmt.Errorf("--language must be a language such as en or pt-BR, not %q", c.language)}
	}
	for _, path := range c.inputs {
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("cannot read the recording %q: %w", path, reason(err))
		}
	}
	if c.imported, err = readTranscripts(c.transcripts, len(c.inputs)); err != nil {
		return err
	}
	if c.dryRun {
		return nil
	}
	return c.checkOutput()
}

// outputExtensions returns the file name extensions of all export formats.
func outputExtensions() (list []string) {
	for _, f := range media.ExportFormats() {
		list = append(list, f.Extension)
	}
	return list
}

// orList returns choices as "a, b or c".
func orList(choices []string) string {
	last := len(choices) - 1
	if last < 1 {
		return strings.Join(choices, "")
	}
	return strings.Join(choices[:last], ", ") + " or " + choices[last]
}

// languages matches the language codes that the API accepts, and the empty text.
var languages = regexp.MustCompile(`^([A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*)?$`)

// reason returns the cause of a file error without the name of the call and the path.
func reason(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

func (c *cutJob) checkOutput() error {
	if c.output == "" {
		return usageError{errors.New("-o OUTPUT is missing (or use --dry-run)")}
	}
	if err := c.checkTimelines(); err != nil || !c.rendersVideo() {
		return err
	}
	extension := filepath.Ext(c.output)
	if _, ok := media.ExportFormatOf(extension); !ok {
		name := strings.TrimSuffix(c.output, extension) + media.DefaultExportFormat().Extension
		return usageError{
			fmt.Errorf("the output must be a file of %s, name it %s", orList(outputExtensions()), name),
		}
	}
	existing, err := os.Stat(c.output)
	if err != nil {
		return c.checkFolder()
	}
	if existing.IsDir() {
		return usageError{fmt.Errorf("%s is a folder, name a video file", c.output)}
	}
	for _, path := range c.inputs {
		if input, err := os.Stat(path); err == nil && os.SameFile(input, existing) {
			return usageError{fmt.Errorf("%s is one of the recordings, which Roughcut never changes", c.output)}
		}
	}
	if !c.force {
		return fmt.Errorf("%s already exists, choose another name or use --force", c.output)
	}
	return c.checkFolder()
}

// checkFolder fails unless the folder of the output is writable.
func (c *cutJob) checkFolder() error {
	probe, err := os.CreateTemp(filepath.Dir(c.output), ".roughcut-*.part")
	if err != nil {
		return fmt.Errorf("cannot write to the folder %s: %w", filepath.Dir(c.output), reason(err))
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

func (c *cutJob) run(ctx context.Context) error {
	temp, err := os.MkdirTemp("", "roughcut-cut-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	clips, tracks, err := c.ingest(ctx, temp)
	if err != nil {
		return err
	}
	show := bar(c.status, "Analyzing")
	step := func(_ string, percent int) { show(float64(percent) / 100) }
	found, err := pipeline.MeasureVoice(ctx, tracks, c.language, step)
	if err != nil {
		return err
	}
	found.Vocabulary.Project = c.vocabulary
	if err := found.Transcribe(ctx, c.speech, tracks, step); err != nil {
		return err
	}
	show(1)
	if found.Model == "" {
		fmt.Fprintln(c.status, "No speech model is installed, so Roughcut finds only silences and repeated takes.",
			"Run roughcut models download base.en, or use --model.")
	}
	proposed := found.Propose(store.AnalysisSettings{
		PacingLevel: c.pacing, FalseStartSensitivity: c.falseStarts, CutFillers: c.fillers, CutOptions: c.options,
	})
	report := c.report(clips, tracks, found, proposed)
	settings := c.renderSettings(report)
	if settings.AudioClips, err = c.audioClipSettings(ctx); err != nil {
		return err
	}
	plan, err := media.NewRenderPlan(clips, report.spans(store.ActionCut), settings)
	if err != nil {
		return err
	}
	report.OutputDurationMS = plan.DurationMS()
	if !c.dryRun {
		if c.rendersVideo() {
			if err := c.render(ctx, plan); err != nil {
				return err
			}
		}
		if err := c.writeTimelines(clips, report); err != nil {
			return err
		}
	}
	return c.print(report)
}

// renderSettings returns the settings of the render plan. Values without a flag are the defaults of
// exports.
func (c *cutJob) renderSettings(r cutReport) media.RenderSettings {
	said := r.Transcript
	short, _ := media.ShortSide(c.resolution) // check accepts only known names
	defaults := store.DefaultExportSettings()
	format, _ := media.ExportFormatOf(filepath.Ext(c.output)) // a dry run has no output
	s := media.RenderSettings{
		Format:        format.Name,
		ShortSide:     short,
		AspectRatio:   c.aspect,
		KeepCodec:     c.codec == media.CodecSource,
		VolumePercent: defaults.Audio.MainVolumePercent,
		Muted:         r.spans(store.ActionMute),
		Audio: media.AudioSettings{
			Denoise:      c.denoise,
			NoiseFloorDB: defaults.Audio.NoiseFloor,
			Normalize:    c.normalize,
			TargetLUFS:   defaults.Audio.TargetLUFS,
			Censor:       c.censor,
		},
	}
	if c.censor != media.CensorNone {
		s.Audio.Censored = detect.ProfaneSpans(said.Words, said.Language, detect.WordChoice{})
	}
	if c.captions == "" {
		return s
	}
	words := pipeline.CaptionWordsMedium
	if c.aspect == "9:16" {
		words = pipeline.CaptionWordsShort // a portrait frame holds less text
	}
	color, _ := media.ParseColor(defaults.Captions.Color) // the default is valid
	s.Captions = &media.CaptionTrack{
		Words:   said.Words,
		Options: media.CaptionOptions{StyleName: c.captions, Position: defaults.Captions.Position, Color: color},
	}
	silenced := append(r.spans(store.ActionCut), r.spans(store.ActionMute)...)
	for _, line := range detect.CaptionLines(said.Words, words, silenced...) {
		s.Captions.Lines = append(s.Captions.Lines, media.CaptionLine(line))
	}
	return s
}

// ingest measures each recording and writes its speech track into temp. Only --keep-demonstrations
// needs decoded video.
func (c *cutJob) ingest(
	ctx context.Context,
	temp string,
) (clips []media.RenderClip, tracks []pipeline.SpeechTrack, err error) {
	for i, path := range c.inputs {
		show := bar(c.status, "Reading "+filepath.Base(path))
		track := filepath.Join(temp, fmt.Sprintf("%d.s16", i))
		in, err := c.engine.Ingest(
			ctx,
			media.IngestRequest{Path: path, SpeechPath: track, Motion: c.options.KeepDemonstrations},
			show,
		)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		show(1)
		if in.Info.Audio == nil {
			track = ""
		}
		peaks, err := keepPeaks(temp, i, in)
		if err != nil {
			return nil, nil, err
		}
		clips = append(clips, media.RenderClip{Path: path, Info: in.Info, PeaksPath: peaks})
		tracks = append(
			tracks,
			pipeline.SpeechTrack{
				ClipUUID:   strconv.Itoa(i),
				Path:       track,
				DurationMS: in.Info.DurationMS,
				Keyframes:  in.Keyframes,
				Motion:     in.Motion,
				Transcript: c.imported[i],
			},
		)
	}
	return clips, tracks, nil
}

// spans returns the spans of the active edits with an action.
func (r cutReport) spans(action string) []media.Span {
	var spans []media.Span
	for _, e := range r.Edits {
		if e.Active && e.Action == action {
			spans = append(spans, media.Span{StartMS: e.StartMS, EndMS: e.EndMS})
		}
	}
	return spans
}

// report combines the results of all clips on one timeline.
func (c *cutJob) report(
	clips []media.RenderClip,
	tracks []pipeline.SpeechTrack,
	found pipeline.Analysis,
	proposed store.Proposal,
) cutReport {
	r := cutReport{
		Inputs:     c.inputs,
		Edits:      []cutEdit{},
		TakeGroups: []cutTakeGroup{},
		Transcript: media.Transcript{Language: found.Language, Words: []media.Word{}, Segments: []media.TimedText{}},
	}
	if found.Language != "" {
		r.Language = &found.Language
	}
	for i, clip := range found.Clips {
		offset := r.DurationMS
		r.TakeGroups = append(r.TakeGroups, takeGroupsOf(tracks[i].ClipUUID, offset, proposed.TakeGroups)...)
		for _, e := range proposed.Edits {
			if e.ClipUUID != tracks[i].ClipUUID {
				continue
			}
			span := media.Span{StartMS: e.Span.StartMS + offset, EndMS: e.Span.EndMS + offset}
			r.Edits = append(r.Edits, cutEdit{
				Type:       e.Type,
				StartMS:    span.StartMS,
				EndMS:      span.EndMS,
				Active:     e.Active,
				Reason:     e.Reason,
				Confidence: e.Confidence,
				Action:     e.Action,
				TakeGroup:  e.TakeGroup,
				TakeNumber: e.TakeNumber,
			})
		}
		if clip.Evidence != nil {
			for _, w := range clip.Evidence.Words {
				w.StartMS, w.EndMS = w.StartMS+offset, w.EndMS+offset
				r.Transcript.Words = append(r.Transcript.Words, w)
			}
		}
		for _, s := range clip.Segments {
			s.StartMS, s.EndMS = s.StartMS+offset, s.EndMS+offset
			r.Transcript.Segments = append(r.Transcript.Segments, s)
		}
		r.DurationMS += clips[i].Info.DurationMS
	}
	return r
}

// render writes the video next to the output and renames it when it is complete.
func (c *cutJob) render(ctx context.Context, plan media.RenderPlan) error {
	show := bar(c.status, "Rendering")
	temp := filepath.Join(filepath.Dir(c.output), "."+filepath.Base(c.output)+".part")
	defer os.Remove(temp)
	if _, err := c.engine.Render(ctx, plan, temp, show); err != nil {
		return err
	}
	show(1)
	return os.Rename(temp, c.output)
}

func (c *cutJob) print(r cutReport) error {
	if c.json {
		enc := json.NewEncoder(c.out)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	}
	if c.dryRun {
		w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "START\tEND\tLENGTH\tTYPE\tCUT\tCONFIDENCE\tREASON")
		for _, e := range r.Edits {
			state := "yes"
			if !e.Active {
				state = "no"
			} else if e.Action == store.ActionMute {
				state = "mute"
			}
			fmt.Fprintf(
				w, "%s\t%s\t%.2f s\t%s\t%s\t%.0f %%\t%s\n", timecode(e.StartMS), timecode(e.EndMS),
				float64(e.EndMS-e.StartMS)/1000, strings.ReplaceAll(e.Type, "_", " "), state, 100*e.Confidence,
				e.Reason,
			)
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	if !c.dryRun && c.rendersVideo() {
		info, err := os.Stat(c.output)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(c.status, wrote(filepath.Base(c.output), r.DurationMS, r.OutputDurationMS, info.Size()))
		return err
	}
	_, err := fmt.Fprintf(
		c.status, "%s recorded, %s after the cuts\n", timecode(r.DurationMS),
		timecode(r.OutputDurationMS),
	)
	return err
}

// wrote says which file a cut wrote, how long it is instead of the recordings, and how large.
func wrote(name string, beforeMS, afterMS, sizeBytes int64) string {
	length := func(ms int64) string {
		tenths := (ms + 50) / 100
		if hours := tenths / 36_000; hours > 0 {
			return fmt.Sprintf("%d:%02d:%02d.%d", hours, tenths/600%60, tenths/10%60, tenths%10)
		}
		return fmt.Sprintf("%d:%02d.%d", tenths/600, tenths/10%60, tenths%10)
	}
	size := fmt.Sprintf("%d kB", (sizeBytes+999)/1000)
	if sizeBytes >= 1_000_000 {
		size = fmt.Sprintf("%d MB", (sizeBytes+500_000)/1_000_000)
	}
	removed := (100*(beforeMS-afterMS) + beforeMS/2) / max(1, beforeMS)
	return fmt.Sprintf("Wrote %s: %s instead of %s (−%d %%), %s",
		name, length(afterMS), length(beforeMS), removed, size)
}

// timecode formats milliseconds as h:mm:ss.mmm.
func timecode(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	return fmt.Sprintf("%d:%02d:%02d.%03d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60, ms%1000)
}
