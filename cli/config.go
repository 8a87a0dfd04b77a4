package cli

import (
	"bytes"
	"errors"
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
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usageError{errors.Join(errors.New("say what to do"), cmd.Help())}
		},
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "print",
		Short: "Print the settings that hold and where each comes from, as a settings file without its secrets",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings, sources, err := readSettings(cmd.Flags())
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

// print writes the settings as TOML. A secret is only said to be set; tables come last, as TOML
// wants them.
func (s settings) print(sources map[string]string) ([]byte, error) {
	var plain, tables bytes.Buffer
	for _, field := range reflect.VisibleFields(reflect.TypeFor[settings]()) {
		key, value := field.Tag.Get("koanf"), reflect.ValueOf(s).FieldByIndex(field.Index)
		source := sources[key]
		if source == "" {
			source = fromDefault
		}
		if isSecret(field) {
			state := "not set"
			if !value.IsZero() {
				state = fmt.Sprintf("set (%s) and not shown", source)
			}
			fmt.Fprintf(&plain, "# %s is %s\n", key, state)
			continue
		}
		if value.Kind() == reflect.Interface && value.IsNil() {
			fmt.Fprintf(&plain, "# %s is not set\n", key)
			continue
		}
		text, err := toml.Parser().Marshal(map[string]any{key: value.Interface()})
		if err != nil {
			return nil, fmt.Errorf("writing the setting %s: %w", key, err)
		}
		if line := strings.TrimSpace(string(text)); !strings.Contains(line, "\n") {
			fmt.Fprintf(&plain, "%s # %s\n", line, source)
		} else {
			fmt.Fprintf(&tables, "\n# %s\n%s\n", source, line)
		}
	}
	return append(plain.Bytes(), tables.Bytes()...), nil
}
