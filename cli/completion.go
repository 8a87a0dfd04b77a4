package cli

import (
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"roughcut/media"
	"roughcut/media/interchange"
	"roughcut/pipeline/language"
	"roughcut/pipeline/models"
)

// completeCut registers the values that shells complete for the flags of `roughcut cut`.
func completeCut(cmd *cobra.Command) {
	values := map[string][]string{
		"format":         media.ExportFormatNames(),
		"resolution":     media.Resolutions(),
		"aspect":         media.AspectRatios(),
		"video-codec":    {media.CodecH264, media.CodecSource},
		"encoder":        encoderNames(),
		"captions":       media.CaptionStyleNames(),
		"censor":         {media.CensorNone, media.CensorMute, media.CensorBleep},
		"timeline":       interchange.FormatNames(),
		"timeline-cuts":  {cutsRemoved, cutsDisabled},
		"fcpxml-version": interchange.FCPXMLVersions(),
		"waveform":       {noWaveform},
	}
	for _, option := range media.CutOptionTable() {
		if choices := option.Choices(); len(choices) > 0 {
			values[option.Flag] = choices
		}
	}

	for _, l := range language.All() {
		values["language"] = append(values["language"], l.Code+"\t"+l.Name)
	}

	for _, flag := range slices.Sorted(maps.Keys(values)) {
		completeFlag(cmd, flag, cobra.FixedCompletions(values[flag], cobra.ShellCompDirectiveNoFileComp))
	}

	completeFlag(cmd, "model", completeModels)
	cmd.ValidArgsFunction = cobra.FixedCompletions(fileEndings(), cobra.ShellCompDirectiveFilterFileExt)
	if err := cmd.MarkFlagDirname("out-dir"); err != nil {
		panic(err)
	}
}

func completeFlag(cmd *cobra.Command, flag string, complete cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, complete); err != nil {
		panic(err) // the command lacks the flag
	}
}

// completeModels completes the names of the installed speech models, and files.
func completeModels(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return modelNames(cmd, true), cobra.ShellCompDirectiveDefault
}

// completeKnownModels completes the names of the models that can be downloaded.
func completeKnownModels(cmd *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(given) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return modelNames(cmd, false), cobra.ShellCompDirectiveNoFileComp
}

// modelNames returns the names of the speech models that are installed, or of the others.
func modelNames(cmd *cobra.Command, installed bool) (names []string) {
	settings, err := operatorSettings(cmd)
	if err != nil {
		return nil
	}
	library := openModels(settings, models.Known())
	defer library.Close()
	list, err := library.List()
	if err != nil {
		return nil
	}
	for _, m := range list {
		if m.Installed == installed {
			names = append(names, m.Name)
		}
	}

	return names
}

// fileEndings returns the file name extensions of recordings, without the dot.
func fileEndings() (list []string) {
	for _, extension := range media.RecordingTypes().Extensions() {
		list = append(list, extension[1:])
	}
	return list
}
