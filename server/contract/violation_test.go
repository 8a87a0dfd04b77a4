package contract

import (
	"os"
	"regexp"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// Each pattern of the contract has an x-rule with its meaning, and each format has a description.
func TestPatternsAndFormatsHaveDescriptions(t *testing.T) {
	yaml, err := os.ReadFile("../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := Read(yaml)
	if err != nil {
		t.Fatal(err)
	}
	patterns := 0
	var walk func(where string, ref *openapi3.SchemaRef)
	walk = func(where string, ref *openapi3.SchemaRef) {
		if ref == nil {
			return
		}
		s := ref.Value
		if s.Pattern != "" {
			patterns++
			if rule, _ := s.Extensions["x-rule"].(string); !regexp.MustCompile(
				`^(must|may) .*[^.]$`,
			).MatchString(rule) {
				t.Errorf("%s: the pattern %s has the rule %q", where, s.Pattern, rule)
			}
		}
		if s.Type.Is(openapi3.TypeString) && s.Format != "" && formatName(s.Format) == "" {
			t.Errorf("%s: the format %s has no description", where, s.Format)
		}
		for name, property := range s.Properties {
			walk(where+"."+name, property)
		}
		walk(where, s.Items)
		walk(where, s.AdditionalProperties.Schema)
	}
	for _, op := range c.Operations() {
		if op.Streams {
			continue
		}
		for _, parameter := range op.Route.Operation.Parameters {
			walk(op.ID, parameter.Value.Schema)
		}
		if body := op.Route.Operation.RequestBody; body != nil {
			for _, content := range body.Value.Content {
				walk(op.ID, content.Schema)
			}
		}
	}
	if patterns < 10 {
		t.Errorf("checked only %d patterns", patterns)
	}
}
