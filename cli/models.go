package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"roughcut/media/whisper"
	"roughcut/pipeline/models"
	"roughcut/store"
)

func (s settings) modelsDir() string { return filepath.Join(s.DataDir, "models") }

// openModels opens the models folder. A running server may have it open too.
func openModels(settings settings, known []models.Model) *models.Library {
	return models.New(models.Options{
		Dir: settings.modelsDir(), URL: settings.ModelsURL, Known: known,
		Check: func(path string) (bool, error) {
			info, err := whisper.CheckModel(path)
			return info.Multilingual, err
		},
		Free: func(need int64) error {
			return store.CheckFree(settings.modelsDir(), need, settings.StorageMinFreeMB<<20)
		},
	})
}

func modelsCommand(build Build) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "models",
		Short: "List, download and verify speech models",
		RunE:  needCommand,
	}
	run := func(do modelsTask) func(*cobra.Command, []string) error {
		return func(cmd *cobra.Command, given []string) error {
			settings, err := operatorSettings(cmd)
			if err != nil {
				return err
			}
			library := openModels(settings, build.Models)
			defer library.Close()
			return do(cmd, settings, library, given)
		}
	}
	list := &cobra.Command{
		Use:   "list",
		Short: "List the available and installed speech models",
		Long: `List the speech models that can be downloaded and those that are installed, and mark the one that the
next analysis uses. Larger models make fewer mistakes and take longer. Models with a name that ends in .en
understand English only.`,
		Example: `  roughcut models list
  roughcut models list --json`,
		Args: usageArgs(cobra.NoArgs),
		RunE: run(listModels),
	}
	list.Flags().Bool("json", false, "print JSON")
	cmd.AddCommand(
		list,
		&cobra.Command{
			Use:   "download NAME",
			Short: "Download a speech model",
			Long: `Download a speech model from MODELS_URL into the models folder of the data directory, and verify its
checksum. The command resumes an interrupted download. A running server finds the new model without a
restart.`,
			Example: "  roughcut models download base.en",
			Args:    usageArgs(cobra.ExactArgs(1)),

			ValidArgsFunction: completeKnownModels,
			RunE:              run(downloadModel),
		},
		&cobra.Command{
			Use:   "verify",
			Short: "Verify the checksums of the installed speech models",
			Long: `Compare each installed speech model with its known checksum. The command fails if a model is damaged.
"roughcut models download" replaces a damaged model.`,
			Example: "  roughcut models verify",
			Args:    usageArgs(cobra.NoArgs),
			RunE:    run(verifyModels),
		},
	)
	return cmd
}

// modelsTask is what a subcommand of models does.
type modelsTask func(*cobra.Command, settings, *models.Library, []string) error

// listedModel is a speech model of `models list --json`. Its fields are named as in the API.
type listedModel struct {
	Name          string `json:"name"`
	SizeBytes     int64  `json:"size_bytes"`
	ReceivedBytes int64  `json:"received_bytes"` // all of an installed model
	Multilingual  bool   `json:"multilingual"`
	Installed     bool   `json:"installed"`
	Active        bool   `json:"active"` // the next analysis uses it
}

func listModels(cmd *cobra.Command, s settings, library *models.Library, _ []string) error {
	found, err := library.List()
	if err != nil {
		return err
	}
	active, err := s.speechModel(cmd.Context())
	if err != nil { // SPEECH_MODEL names no model, so none is marked
		active = ""
	}
	list := make([]listedModel, 0, len(found))
	for _, m := range found {
		list = append(list, listedModel{
			Name: m.Name, SizeBytes: m.SizeBytes, ReceivedBytes: m.Received, Multilingual: m.Many,
			Installed: m.Installed, Active: m.Installed && active == filepath.Join(s.modelsDir(), m.File),
		})
	}

	if asJSON, _ := cmd.Flags().GetBool("json"); asJSON {
		return printJSON(cmd, list)
	}
	table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tSIZE\tLANGUAGES\tSTATE")
	for _, m := range list {
		languages, state := "English", "not installed"
		if m.Multilingual {
			languages = "many"
		}
		switch {
		case m.Active:
			state = "in use"
		case m.Installed:
			state = "installed"
		case m.ReceivedBytes > 0:
			state = fmt.Sprintf("%d %% downloaded", 100*m.ReceivedBytes/m.SizeBytes)
		}

		fmt.Fprintf(table, "%s\t%d MiB\t%s\t%s\n", m.Name, m.SizeBytes>>20, languages, state)
	}

	return table.Flush()
}

func downloadModel(cmd *cobra.Command, _ settings, library *models.Library, given []string) error {
	name := given[0]
	progress := showProgress(cmd.ErrOrStderr(), "Downloading "+name)
	err := library.Download(cmd.Context(), name, func(received, total int64) {
		progress.set(float64(received) / float64(total))
	})
	progress.end()
	if errors.Is(err, models.ErrUnknown) {
		return usageError{fmt.Errorf("unknown model %q, see roughcut models list", name)}
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is installed\n", name)
	return err
}

func verifyModels(cmd *cobra.Command, _ settings, library *models.Library, _ []string) error {
	found, err := library.Verify(cmd.Context())
	if err != nil {
		return err
	}
	list, err := library.List() // for its order
	if err != nil {
		return err
	}
	damaged := 0
	for _, s := range list {
		fault, verified := found[s.Name]
		switch {
		case !verified:
		case fault != nil:
			damaged++
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %v, download it again\n", s.Name, fault)
		case s.Known:
			fmt.Fprintf(cmd.OutOrStdout(), "%s: ok\n", s.Name)
		default:
			fmt.Fprintf(cmd.OutOrStdout(), "%s: not verified, its checksum is unknown\n", s.Name)
		}
	}

	if damaged > 0 {
		return fmt.Errorf("%d of %d models are damaged", damaged, len(found))
	}
	return nil
}
