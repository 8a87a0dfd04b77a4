package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"roughcut/media"
	"roughcut/media/libav"
	"roughcut/pipeline"
	"roughcut/store"
	"roughcut/store/outfile"
)

// cutJob is one run of `roughcut cut`.
type cutJob struct {
	inputs       []string
	limits       cutRange
	span         media.Span // that limits choose; empty for all
	output       string
	each         eachVideo
	options      media.CutOptions
	language     string
	vocabulary   []string // names and terms, as store.ValidVocabulary returns them
	transcripts  []string // paths, as in inputs
	imported     []*media.ImportedTranscript
	resolution   string
	codec        string
	keepLocation bool
	dropTracks   bool // only the audio that is heard is written
	aspect       string
	captions     string
	censor       string
	normalize    bool
	bothEars     bool
	channels     bool // all channels are kept
	denoise      bool
	audioClips   audioClips
	audioTracks  []string // of --audio-track
	tracks       [][]int  // audio tracks of each recording that are heard; nil without a choice
	dryRun       bool
	json         bool
	force        bool
	timelines    timelineFlags
	engine       pipeline.Engine
	encoder      func() media.EncoderChoice
	rendered     media.RenderResult
	speech       pipeline.Speech
	model        string // path of the speech model; may be empty
	noModel      bool   // none is installed
	dataDir      string
	streams      string                   // folder of the files that replace standard input and output; may be empty
	received     string                   // path of the recording from standard input; may be empty
	sends        bool                     // the video goes to standard output
	claims       map[string]*outfile.File // by path
	out          io.Writer                // receives the edits
	status       io.Writer                // receives progress and messages
}

func cutCommand() *cobra.Command {
	job := cutJob{}
	cmd := &cobra.Command{
		Use:   "cut INPUT... -o OUTPUT",
		Short: "Cut recordings into one video, without a server",
		Long:  cutHelp(),
		Example: `  roughcut cut talk.mp4 -o talk-cut.mp4
  roughcut cut lesson*.mp4 --each --out-dir cut
  roughcut cut part1.mov part2.mov -o talk.mp4 --pacing 70 --aspect 9:16 --resolution 1080p
  roughcut cut talk.mp4 -o talk-cut.mp4 --captions karaoke --normalize --denoise --censor
  roughcut cut talk.mp4 -o short.mp4 --from 1:30 --to 2:10 --aspect 9:16 --captions karaoke
  roughcut cut talk.mp4 -o talk-cut --timeline fcpxml,otio,srt
  roughcut cut talk.mp4 --dry-run --json >edits.json
  curl -s https://example.org/talk.mp4 | roughcut cut - -o - --format mkv | mpv -`,
		Args: usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, inputs []string) error {
			settings, err := loadSettings(cmd.Flags())
			if err != nil {
				return err
			}
			job.inputs = inputs
			job.encoder = settings.chooseEncoder()
			job.engine = libav.New(libav.WithEncoder(job.encoder))
			library := openModels(settings, nil)
			defer library.Close()
			speech := Speech{
				Choice: settings.SpeechModel, Dir: settings.modelsDir(), Intact: library.CheckIntact,
				Device: newSpeechDevice(false),
			}
			job.speech, job.dataDir = timedSpeech{speech}, settings.DataDir
			job.model, err = speech.path() // the analysis reports the error
			job.noModel = err == nil && job.model == ""
			survivePipe()
			job.out, job.status = cmd.OutOrStdout(), cmd.ErrOrStderr()
			defer job.release()
			if err := job.openStreams(cmd.InOrStdin()); err != nil {
				return err
			}
			if err := job.validate(cmd.Context()); err != nil {
				return err
			}
			if err := job.receive(cmd.Context(), cmd.InOrStdin()); err != nil {
				return err
			}
			if job.each.on {
				return job.runEach(cmd.Context())
			}
			_, err = job.cut(cmd.Context())
			return err
		},
	}
	job.addFlags(cmd)
	completeCut(cmd)
	return cmd
}

// addFlags adds the flags of the command, which set the job.
func (c *cutJob) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(
		&c.output,
		"output",
		"o",
		"",
		"file to write; its extension is the format: "+media.OrList(outputExtensions())+"; or base name of timelines",
	)
	c.addEachFlags(f)
	c.limits.addTo(f)
	cuts, special := addCutOptions(f, &c.options)
	f.StringVar(&c.language, "language", "", "spoken language, such as en or pt-BR (default: detect it)")
	f.StringSliceVar(
		&c.vocabulary,
		"vocabulary",
		nil,
		`names and terms for the speech model, separated by commas: "Ada Lovelace,Kubernetes"`,
	)
	f.StringArrayVar(
		&c.transcripts,
		"transcript",
		nil,
		"transcript of a recording: SRT, WebVTT, or JSON of Whisper or WhisperX; one for each recording, in order",
	)
	f.StringVar(&c.resolution, "resolution", media.AsRecorded, "short side: "+media.OrList(media.Resolutions()))
	f.StringVar(&c.aspect, "aspect", media.AsRecorded, "aspect ratio: "+media.OrList(media.AspectRatios()))
	f.StringVar(&c.codec, "video-codec", media.CodecH264, "h264, or source to keep HEVC if all recordings are HEVC")
	f.BoolVar(&c.keepLocation, "keep-location", false, "keep the place where the first recording was made")
	f.String("encoder", "", "video encoder if all frames are encoded: "+media.OrList(encoderNames())+" (ENCODER)")
	f.StringVar(&c.captions, "captions", "", "draw captions in a style: "+media.OrList(media.CaptionStyleNames()))
	c.audioClips.addTo(f)
	f.StringArrayVar(
		&c.audioTracks,
		"audio-track",
		nil,
		"audio tracks to hear, counted from 1; several are mixed: 1,2. Once for all recordings, or once for each, "+
			"in order (default: the first with speech)",
	)
	f.BoolVar(&c.dropTracks, "drop-other-tracks", false, "leave out the audio tracks that are not heard")
	f.BoolVar(&c.normalize, "normalize", false, "normalize loudness to -14 LUFS")
	f.BoolVar(
		&c.bothEars, "both-ears", false, "put a voice on one channel on both sides, and repair opposite channels",
	)
	f.BoolVar(&c.channels, "keep-channels", false, "keep 3 to 8 channels as recorded instead of a stereo mix")
	f.BoolVar(&c.denoise, "denoise", false, "reduce background noise")
	f.StringVar(&c.censor, "censor", media.CensorNone, "profane words: none, mute or bleep")
	f.Lookup("censor").NoOptDefVal = media.CensorBleep
	f.String("model", "", "path or name of a ggml Whisper model (SPEECH_MODEL)")
	f.BoolVar(&c.dryRun, "dry-run", false, "print the edits and write no video")
	f.BoolVar(&c.json, "json", false, "print edits and transcript as JSON")
	addTimelineFlags(f, &c.timelines)
	f.BoolVar(&c.force, "force", false, "replace an existing output file")
	groupFlags(
		cmd, "Output:",
		"output", "each", "out-dir", "format", "from", "to", "resolution", "aspect", "video-codec", "keep-location",
		"encoder", "dry-run", "json", "force",
	)
	groupFlags(cmd, "Cuts:", append(cuts, "language", "vocabulary", "transcript", "model")...)
	groupFlags(
		cmd, "Captions and audio:",
		"captions", "audio-track", "drop-other-tracks", "normalize", "denoise", "both-ears", "keep-channels", "censor",
	)
	groupFlags(cmd, "Other editors:", "timeline", "timeline-cuts", "media-folder", "fcpxml-version", "constant-rate")
	groupFlags(cmd, "Special recordings:", append(special, "waveform", "cover")...)
}

// cutHelp returns the long help, with the caption styles.
func cutHelp() string {
	var styles strings.Builder
	for _, style := range media.CaptionStyles() {
		fmt.Fprintf(&styles, "\n    %-9s %s", style.Name, style.Description)
	}
	return `Cut one or more recordings into one video, without a server. Roughcut transcribes the recordings, cuts
silences and false starts, and renders the rest. The recordings stay unchanged. A folder stands for its
recordings, sorted by name.

With --each, every recording becomes its own video in the folder of --out-dir: talk.mp4 becomes talk-cut.mp4,
and a second recording of that name talk-cut-2.mp4. If one fails, Roughcut cuts the others, and the command
fails at the end.

With - as INPUT, Roughcut reads a recording from standard input. With - as OUTPUT, it writes the complete
video to standard output, in the format of --format. A file with the name - is ./-.

At --pacing 0, only pauses over 2.5 s are cut and 0.4 s remain on each side. At 100, pauses over 0.15 s are
cut and 0.04 s remain.

Segments without captions or other changes to the frame are copied losslessly from the first keyframe.
If every frame is encoded, a hardware encoder does it if one passes its self-test (--encoder).

HEVC is copied with --video-codec source if all recordings are HEVC and keep their frame format. Otherwise
the video is H.264.

Of a recording with several audio tracks, Roughcut hears the first one with speech, and says which
(--audio-track). MP4, MOV, MKV and M4A have the others behind it, with the same cuts
(--drop-other-tracks).

During recordings without video, the video shows their waveform (--waveform) and a cover (--cover).

Finding fillers and drawing captions requires a speech model ("roughcut models download base.en").
Without one, Roughcut finds silences and repeated takes by sound.

With --timeline, Roughcut also writes the cuts for other editors, or the text. The files have the name of the
output with their own extension. Without the extension .mp4, OUTPUT is only their base name, and no video is
rendered. Other editors show recordings with a variable frame rate at a constant one, so cuts can be off by a
few frames. With --constant-rate, timelines point to copies that match.

Caption styles:
` + styles.String() + `

Timeline formats:
` + timelineHelp()
}

// cut cuts the inputs into one video, with the files next to it, and reports on it.
func (c *cutJob) cut(ctx context.Context) (report cutReport, err error) {
	temp, err := os.MkdirTemp("", "roughcut-cut-")
	if err != nil {
		return report, err
	}
	defer os.RemoveAll(temp)
	if err := c.checkSpeechSpace(ctx); err != nil {
		return report, err
	}
	clips, tracks, err := c.ingest(ctx, temp)
	if err != nil {
		return report, err
	}
	if c.span, err = c.limits.of(recordedMS(clips)); err != nil {
		return report, err
	}
	for _, line := range channelNotes(clips, c.bothEars) {
		fmt.Fprintln(c.status, line)
	}
	if err := c.claimCopies(ctx, clips); err != nil {
		return report, err
	}
	found, proposed, err := c.analyze(ctx, tracks)
	if err != nil {
		return report, err
	}
	report = c.report(clips, tracks, found, proposed)
	plan, err := c.plan(ctx, clips, report)
	if err != nil {
		return report, err
	}
	report.OutputDurationMS = plan.DurationMS()
	if !c.dryRun {
		if err := c.writeAll(ctx, clips, tracks, plan, report); err != nil {
			return report, err
		}
	}

	report.Encoder, report.SoftwareBecause = orNull(c.rendered.Encoder), orNull(c.rendered.SoftwareBecause)
	report.AudioOverDB = orNull(c.rendered.OverDB)
	return report, c.print(report)
}

// plan returns the render plan of the video.
func (c *cutJob) plan(ctx context.Context, clips []media.RenderClip, r cutReport) (plan media.RenderPlan, err error) {
	settings := c.renderSettings(r)
	if settings.AudioClips, err = c.audioClipSettings(ctx); err != nil {
		return plan, err
	}
	settings.Chapters, settings.Range = media.ChaptersOf(clips), c.span
	return media.NewRenderPlan(clips, r.spans(store.ActionCut), settings)
}

// writeAll writes the video and the files next to it.
func (c *cutJob) writeAll(
	ctx context.Context,
	clips []media.RenderClip,
	tracks []pipeline.SpeechTrack,
	plan media.RenderPlan,
	r cutReport,
) error {
	if c.rendersVideo() {
		if err := c.announce(ctx, clips, tracks, plan); err != nil {
			return err
		}
		if err := c.render(ctx, plan); err != nil {
			return err
		}
	}

	return c.writeTimelines(ctx, clips, r)
}

// analyze finds words and edits.
func (c *cutJob) analyze(
	ctx context.Context,
	tracks []pipeline.SpeechTrack,
) (found pipeline.Analysis, proposed store.Proposal, err error) {
	progress := showProgress(c.status, "Analyzing")
	last := ""
	step := func(name string, percent int) {
		progress.set(float64(percent) / 100)
		if name != last {
			progress.phase()
			last = name
		}
	}
	if found, err = pipeline.MeasureVoice(ctx, tracks, c.language, step); err == nil {
		found.Vocabulary.Project = c.vocabulary
		err = found.Transcribe(ctx, c.speech, tracks, step)
	}

	if err == nil {
		proposed = found.Propose(store.AnalysisSettings{CutOptions: c.options})
	}
	progress.end()
	if err == nil && found.Model == "" {
		fmt.Fprintln(c.status, "No speech model is installed, so Roughcut finds only silences and repeated takes.",
			"Run roughcut models download base.en, or use --model.")
	}

	if note := languageNote(found); err == nil && note != "" {
		fmt.Fprintln(c.status, note)
	}

	return found, proposed, err
}

// ingest measures each recording and writes its speech track into temp. Only --keep-demonstrations
// needs more decoded video than a few frames.
func (c *cutJob) ingest(
	ctx context.Context,
	temp string,
) (clips []media.RenderClip, tracks []pipeline.SpeechTrack, err error) {
	for i, path := range c.inputs {
		shown := c.shown(path)
		progress := showProgress(c.status, "Reading "+filepath.Base(shown))
		track := filepath.Join(temp, fmt.Sprintf("%d.s16", i))
		in, heard, err := pipeline.LocalEars{Engine: c.engine}.IngestAndHear(
			ctx,
			media.IngestRequest{
				Path: path, SpeechPath: track, Motion: c.options.KeepDemonstrations,
				Screen: !c.options.KeepDemonstrations, SkipLevels: true, Tracks: c.tracks[i],
			},
			progress.set,
		)
		progress.end()
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", shown, err)
		}
		if text := tracksHeard(shown, in.Info, c.tracks[i] != nil); text != "" {
			fmt.Fprintln(c.status, text)
		}
		if text := screenNote(shown, in.Screen); text != "" {
			fmt.Fprintln(c.status, text)
		}
		if in.Info.Audio == nil {
			track = ""
		}
		if err := c.fitTranscript(i, in.Info.DurationMS); err != nil {
			return nil, nil, err
		}
		peaks, err := keepPeaks(temp, i, in)
		if err != nil {
			return nil, nil, err
		}
		clips = append(clips, media.RenderClip{Path: path, Info: in.Info, PeaksPath: peaks})
		tracks = append(tracks, pipeline.SpeechTrack{
			ClipUUID:   strconv.Itoa(i),
			Path:       track,
			DurationMS: in.Info.DurationMS,
			Keyframes:  in.Keyframes,
			Motion:     in.Motion,
			Transcript: c.imported[i],
			Heard:      heard,
		})
	}

	return clips, tracks, nil
}
