package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"github.com/knadh/koanf/parsers/toml/v2"
	"github.com/spf13/cobra"
)

func configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show the settings",
		RunE:  needCommand,
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "print",
		Short: "Print the effective settings",
		Long: `Print the effective settings and the source of each: default, file, environment or flag. The output is a
valid settings file. It says which secrets are set but does not contain them.`,
		Example: `  roughcut config print
  roughcut config print --config /etc/roughcut/roughcut.toml`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, sources, err := readOperatorSettings(cmd, serviceFile)
			if err != nil {
				return err
			}
			text, err := settings.print(sources)
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	})
	return cmd
}

// print returns the settings as TOML, by section and with the source of each. It names the secrets
// but does not contain them. TOML requires tables to come last.
func (s *settings) print(sources map[string]string) ([]byte, error) {
	var plain, tables bytes.Buffer
	for i, section := range s.sections() {
		if i > 0 {
			plain.WriteString("\n")
		}
		fmt.Fprintf(&plain, "# %s\n", section.title)
		for _, v := range section.settings {
			if err := v.print(&plain, &tables, cmp.Or(sources[v.key], fromDefault)); err != nil {
				return nil, err
			}
		}
	}

	return append(plain.Bytes(), tables.Bytes()...), nil
}

// changed returns the settings that differ from their defaults, by environment variable. Of secrets
// and tables it says only that they are set.
func (s *settings) changed() map[string]any {
	found := map[string]any{}
	for _, section := range s.sections() {
		for _, v := range section.settings {
			value := reflect.ValueOf(v.value).Elem()
			switch {
			case value.IsZero() && v.fallback == nil, v.fallback != nil && value.Interface() == v.fallback:
			case v.secret, value.Kind() == reflect.Interface:
				found[v.env()] = "set"
			default:
				found[v.env()] = value.Interface()
			}
		}
	}

	return found
}

func (v setting) print(plain, tables *bytes.Buffer, source string) error {
	value := reflect.ValueOf(v.value).Elem()
	switch {
	case v.secret && value.IsZero():
		fmt.Fprintf(plain, "# %s is not set\n", v.key)
		return nil
	case v.secret:
		fmt.Fprintf(plain, "# %s is set (%s) and not shown\n", v.key, source)
		return nil
	case value.Kind() == reflect.Interface && value.IsNil():
		fmt.Fprintf(plain, "# %s is not set\n", v.key)
		return nil
	}

	text, err := toml.Parser().Marshal(map[string]any{v.key: value.Interface()})
	if err != nil {
		return fmt.Errorf("printing the setting %s: %w", v.key, err)
	}
	if line := strings.TrimSpace(string(text)); !strings.Contains(line, "\n") {
		fmt.Fprintf(plain, "%s # %s\n", line, source)
	} else {
		fmt.Fprintf(tables, "\n# %s\n%s\n", source, line)
	}

	return nil
}
