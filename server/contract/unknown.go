package contract

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// UnknownFields returns the fields of a JSON body that the operation does not know, as paths such
// as "export_settings.colour" or "edits[2].stat_ms", in alphabetical order. A body that is no JSON
// has none.
func (o *Operation) UnknownFields(body []byte) (paths []string) {
	request := o.Route.Operation.RequestBody
	if request == nil {
		return nil
	}
	media := request.Value.Content["application/json"]
	var value any
	if media == nil || json.Unmarshal(body, &value) != nil {
		return nil
	}
	unknownIn(value, openapi3.SchemaRefs{media.Schema}, "", &paths)
	slices.Sort(paths)
	return paths
}

// unknownIn adds the unknown fields of a value to paths. The value matches one of the schemas.
func unknownIn(value any, schemas openapi3.SchemaRefs, path string, paths *[]string) {
	known := knownBy(schemas)
	switch value := value.(type) {
	case []any:
		for i, element := range value {
			unknownIn(element, known.items, fmt.Sprintf("%s[%d]", path, i), paths)
		}
	case map[string]any:
		for name, field := range value {
			at := name
			if path != "" {
				at = path + "." + name
			}
			if of, ok := known.fields[name]; ok {
				unknownIn(field, of, at, paths)
			} else if !known.open {
				*paths = append(*paths, at)
			}
		}
	}
}

// knowledge is what schemas know together.
type knowledge struct {
	fields map[string]openapi3.SchemaRefs
	items  openapi3.SchemaRefs
	open   bool // they accept fields of any name
}

func knownBy(schemas openapi3.SchemaRefs) knowledge {
	known := knowledge{fields: map[string]openapi3.SchemaRefs{}}
	var add func(openapi3.SchemaRefs)
	add = func(list openapi3.SchemaRefs) {
		for _, ref := range list {
			s := ref.Value
			for name, field := range s.Properties {
				known.fields[name] = append(known.fields[name], field)
			}
			if s.Items != nil {
				known.items = append(known.items, s.Items)
			}
			parts := slices.Concat(s.AllOf, s.OneOf, s.AnyOf)
			more := s.AdditionalProperties.Schema != nil ||
				(s.AdditionalProperties.Has != nil && *s.AdditionalProperties.Has)
			known.open = known.open || more || (len(s.Properties) == 0 && len(parts) == 0)
			add(parts)
		}
	}
	add(schemas)
	return known
}
