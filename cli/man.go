package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommand writes the manual pages that the packages install.
func manCommand(build Build) *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual page of each command into a folder",
		Hidden: true,
		Args:   usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			root := cmd.Root()
			root.DisableAutoGenTag = true // it would hold the date
			root.Long += "\n" + exitCodes
			header := &doc.GenManHeader{Source: "Roughcut " + build.Version, Manual: "Roughcut"}
			return doc.GenManTree(root, header, given[0])
		},
	}
}
