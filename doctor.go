package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"roughcut/store"
)

func doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check the data directory and say what is wrong with it",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			settings, err := loadSettings(cmd.Flags())
			if err != nil {
				return err
			}
			data, err := store.Open(cmd.Context(), settings.storeOptions(newLogger(settings.LogLevel)))
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, data.Close()) }()
			findings, err := data.Check(cmd.Context())
			if err != nil {
				return err
			}
			for _, f := range findings {
				fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", f.Code, f.Message)
			}
			if len(findings) > 0 {
				return fmt.Errorf("%d findings in %s", len(findings), settings.DataDir)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is sound\n", settings.DataDir)
			return err
		},
	}
}
