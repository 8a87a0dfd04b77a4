package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"roughcut/media"
)

// The comments around the cut options of a schema: for a request that starts work, for a change
// that keeps all options that it does not name, and for a response, which has all options.
var (
	optionsBegin = regexp.MustCompile(`^( *)# cut options: (request|change|response|choices)$`)
	optionsEnd   = "# end of the cut options"
	exampleValue = regexp.MustCompile(`^( *value: )(\{.*"pacing_level".*\})$`)
	required     = regexp.MustCompile(`^( *required: \[)(.*)\]$`)
)

// rewriteOptions returns text with the lines between the comments taken from the table. Responses
// also require each option, and their examples have it.
func rewriteOptions(text string, table []media.CutOption) (string, error) {
	var out []string
	within, needs := false, -1
	for _, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) == optionsEnd {
			within = false
		}
		if within {
			continue
		}
		line, err := completeExample(line, table)
		if err != nil {
			return "", err
		}
		out = append(out, line)
		if required.MatchString(line) {
			needs = len(out) - 1
		}
		begin := optionsBegin.FindStringSubmatch(line)
		if begin == nil {
			continue
		}
		within = true
		if begin[2] == "response" && needs >= 0 {
			out[needs] = requireOptions(out[needs], table)
		}
		for _, option := range table {
			if property := optionLine(option, begin[2]); property != "" {
				out = append(out, begin[1]+property)
			}
		}
	}

	if within {
		return "", errors.New("a comment about cut options has no end")
	}
	return strings.Join(out, "\n"), nil
}

// requireOptions returns a line of required properties with all options in place of those that the
// line had.
func requireOptions(line string, table []media.CutOption) string {
	parts := required.FindStringSubmatch(line)
	var options []string
	for _, option := range table {
		options = append(options, option.Name)
	}
	var names []string
	placed := false
	for name := range strings.SplitSeq(parts[2], ", ") {
		if !slices.Contains(options, name) {
			names = append(names, name)
		} else if !placed {
			names = append(names, options...)
			placed = true
		}
	}

	return parts[1] + strings.Join(names, ", ") + "]"
}

// completeExample returns the line of an example with the default of each option that its records
// lack.
func completeExample(line string, table []media.CutOption) (string, error) {
	parts := exampleValue.FindStringSubmatch(line)
	if parts == nil {
		return line, nil
	}
	var example any
	read := json.NewDecoder(strings.NewReader(parts[2]))
	read.UseNumber()
	if err := read.Decode(&example); err != nil {
		return "", err
	}
	defaults := media.DefaultCutOptions().WithDefaults()
	var complete func(any)
	complete = func(value any) {
		switch value := value.(type) {
		case []any:
			for _, item := range value {
				complete(item)
			}
		case map[string]any:
			for _, item := range value {
				complete(item)
			}
			for _, option := range table {
				if value["uuid"] != nil && value["pacing_level"] != nil && value[option.Name] == nil {
					value[option.Name] = option.In(&defaults)
				}
			}
		}
	}
	complete(example)
	var text strings.Builder
	write := json.NewEncoder(&text)
	write.SetEscapeHTML(false)
	err := write.Encode(example)
	return parts[1] + strings.TrimSpace(text.String()), err
}

// optionLine returns the line that describes an option in a schema, or its values among the
// choices.
func optionLine(option media.CutOption, use string) string {
	about := strconv.Quote(option.Description)
	field := option.In(&media.CutOptions{})
	if use == "choices" {
		if _, ok := field.(*string); !ok {
			return ""
		}
		values := strings.Join(option.Choices(), ", ")
		return fmt.Sprintf("%s: {type: string, enum: [%s], description: %s}", option.Schema, values, about)
	}

	// The description states the default. With the keyword default, openapi-typescript would
	// require the option in requests.
	given := func(value any) string {
		if use != "request" {
			return about
		}
		return strconv.Quote(fmt.Sprintf("%s. Default %v", option.Description, value))
	}
	switch field.(type) {
	case *int:
		return fmt.Sprintf(
			"%s: {type: integer, minimum: 0, maximum: 100, description: %s}",
			option.Name, given(option.Default),
		)
	case *bool:
		return fmt.Sprintf("%s: {type: boolean, description: %s}", option.Name, given(false))
	case *string:
		return fmt.Sprintf(`%s: {$ref: "#/components/schemas/%s"}`, option.Name, option.Schema)
	default:
		return fmt.Sprintf(
			`%s: {type: array, maxItems: 20, items: {$ref: "#/components/schemas/DetectedEditType"}, description: %s}`,
			option.Name, about,
		)
	}
}
