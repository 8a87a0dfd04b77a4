package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"roughcut/media"
)

// eachVideo says that each recording becomes a video, and where the videos go.
type eachVideo struct {
	on             bool
	outDir, format string
	inputs         []string // of all videos
	written        []string // by the earlier cuts
}

func (c *cutJob) addEachFlags(f *pflag.FlagSet) {
	f.BoolVar(&c.each.on, "each", false, "cut each recording into its own video, in the folder of --out-dir")
	f.StringVar(&c.each.outDir, "out-dir", "", "folder for the videos of --each")
	f.StringVar(
		&c.each.format, "format", media.DefaultExportFormat().Name,
		"format of the videos of --each and of -o -: "+media.OrList(media.ExportFormatNames()),
	)
}

// checkEach checks the flags of --each.
func (c *cutJob) checkEach() error {
	_, known := media.FindExportFormat(c.each.format)
	switch {
	case !c.each.on && c.each.outDir != "":
		return usageError{errors.New("--out-dir needs --each; name a single video with -o")}
	case !known || c.each.format == "":
		return usageError{fmt.Errorf(
			"--format must be %s, not %q", media.OrList(media.ExportFormatNames()), c.each.format,
		)}
	case c.each.on && c.output != "":
		return usageError{errors.New("--each needs --out-dir DIR instead of -o OUTPUT")}
	case c.each.on && c.each.outDir == "" && !c.dryRun:
		return usageError{errors.New("--out-dir DIR is missing (or use --dry-run)")}
	}

	return nil
}

// eachOutputs returns the paths of the videos of --each, in the order of the recordings. Recordings
// of one name get numbers.
func (c *cutJob) eachOutputs() (paths []string) {
	format, _ := media.FindExportFormat(c.each.format) // checkEach accepts only known names
	used := map[string]bool{}
	for _, input := range c.inputs {
		base := strings.TrimSuffix(filepath.Base(input), filepath.Ext(input)) + "-cut"
		name := base
		for n := 2; used[strings.ToLower(name)]; n++ {
			name = base + "-" + strconv.Itoa(n)
		}

		used[strings.ToLower(name)] = true
		paths = append(paths, filepath.Join(c.each.outDir, name+format.Extension))
	}

	return paths
}

// cutFailure is the line of `cut --each --json` for a recording that failed.
type cutFailure struct {
	Inputs     []string   `json:"inputs"`
	Recordings []cutInput `json:"recordings"`
	Error      string     `json:"error"`
}

// runEach cuts each recording into its own video. A recording that fails does not stop the others.
func (c *cutJob) runEach(ctx context.Context) error {
	if !c.dryRun {
		if err := os.MkdirAll(c.each.outDir, 0o755); err != nil {
			return fmt.Errorf("cannot create the folder %s: %w", c.each.outDir, fileCause(err))
		}
	}

	outputs := c.eachOutputs()
	var total cutTotal
	for i, input := range c.inputs {
		fmt.Fprintf(c.status, "%d of %d: %s\n", i+1, len(c.inputs), input)
		one := c.only(i, outputs[i])
		made, err := one.start(ctx)
		for path := range one.claims {
			c.each.written = append(c.each.written, path)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := c.count(&total, input, made, err); err != nil {
			return err
		}
	}

	return total.print(c)
}

// only returns the job of one of the recordings.
func (c *cutJob) only(i int, output string) *cutJob {
	one := *c
	one.inputs, one.each.inputs, one.claims = c.inputs[i:i+1], c.inputs, nil
	one.output, one.tracks, one.imported = output, c.tracks[i:i+1], c.imported[i:i+1]
	one.transcripts = slices.Clone(c.transcripts[min(i, len(c.transcripts)):])
	return &one
}

// start checks the files of the job, cuts, and releases them.
func (c *cutJob) start(ctx context.Context) (cutReport, error) {
	defer c.release()
	if err := c.checkInputs(); err != nil {
		return cutReport{}, err
	}
	if !c.dryRun {
		if err := c.checkOutput(ctx); err != nil {
			return cutReport{}, err
		}
	}

	return c.cut(ctx)
}

// cutTotal sums the results of --each.
type cutTotal struct {
	made, beforeMS, afterMS, bytes int64
	failed                         []string
}

// count adds a result to the total, and prints its error.
func (c *cutJob) count(total *cutTotal, input string, made cutReport, fault error) error {
	if fault == nil {
		total.made++
		total.beforeMS += made.recordedMS()
		total.afterMS += made.OutputDurationMS
		if made.Output == nil {
			return nil
		}
		if info, err := os.Stat(*made.Output); err == nil {
			total.bytes += info.Size()
		}
		return nil
	}

	total.failed = append(total.failed, input)
	fmt.Fprintf(c.status, "Failed: %v\n", fault)
	if !c.json {
		return nil
	}
	failed := c.input(input, nil, 0)
	return json.NewEncoder(c.out).Encode(cutFailure{
		Inputs: []string{failed.Path}, Recordings: []cutInput{failed}, Error: fault.Error(),
	})
}

// print prints the summary. It returns an error if a recording failed.
func (t cutTotal) print(c *cutJob) error {
	if t.made > 0 {
		what := fmt.Sprintf("%d of %d recordings", t.made, len(c.inputs))
		if c.dryRun {
			fmt.Fprintf(c.status, "Found the cuts of %s: %s recorded, %s after the cuts\n",
				what, lengthText(t.beforeMS), lengthText(t.afterMS))
		} else {
			fmt.Fprintln(c.status, "Cut "+what+" into "+c.each.outDir+":",
				strings.TrimPrefix(outputSummary("", t.beforeMS, t.afterMS, t.bytes), "Wrote : "))
		}
	}

	if len(t.failed) > 0 {
		return fmt.Errorf("%d of %d recordings failed: %s", len(t.failed), len(c.inputs), strings.Join(t.failed, ", "))
	}
	return nil
}
