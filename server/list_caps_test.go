package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"roughcut/server/contract"
)

// boundedByOthers names the lists of responses that no request fills, and what bounds them. Lists
// of operations are under their operationId, parts of records under the name of their field.
var boundedByOthers = map[string]string{
	"listPrices":      "the prices of the operator",
	"listModels":      "the speech models that admins installed",
	"listTakeGroups":  "the takes that an analysis found; duplicates of clips are capped",
	"listHistory":     "the server forgets the oldest changes past 200",
	"providers":       "the providers of the operator",
	"oauth_providers": "the providers of the operator",
	"built_in":        "the words in the program",
	"words":           "the words that an analysis found",
	"segments":        "the words that an analysis found",
	"takes":           "the takes that an analysis found",
	"timings":         "the steps of an analysis",
	"peaks":           "the length of the recording, and the parameter samples",
	"faces":           "the length of the recording",
	"center":          "the length of the recording",
	"components":      "the parts of the program",
	"tests":           "the encoders of the program",
	"jobs":            "the kinds of jobs",
	"shorts":          "the shorts of the project at the save of a draft",
}

// listCap is the bound of a list without pages, x-cap in the contract. The operations that add to
// the list refuse more. TestCaps of package store exceeds each of them.
type listCap struct {
	Most int
	By   []string
}

// partsOf calls found with each list and map in a schema, by the name of its field.
func partsOf(ref *openapi3.SchemaRef, name string, seen []string, found func(name string, s *openapi3.Schema)) {
	if ref == nil || (ref.Ref != "" && slices.Contains(seen, ref.Ref)) {
		return
	}
	seen = append(slices.Clip(seen), ref.Ref)
	s := ref.Value
	for _, other := range slices.Concat(s.AllOf, s.OneOf, s.AnyOf) {
		partsOf(other, name, seen, found)
	}
	for field, property := range s.Properties {
		partsOf(property, field, seen, found)
	}
	if s.Items != nil {
		found(name, s)
		partsOf(s.Items, name, seen, found)
	}
	if more := s.AdditionalProperties.Schema; more != nil {
		found(name, s)
		partsOf(more, name, seen, found)
	}
}

// hasPages reports whether an operation takes a page and its size.
func hasPages(op *contract.Operation) bool {
	in := op.Route.Operation.Parameters
	return in.GetByInAndName("query", "page") != nil && in.GetByInAndName("query", "page_size") != nil
}

// Each list that the API returns has a bound: pages, a cap that creation enforces, maxItems for the
// parts of a record, or one of boundedByOthers.
func TestEveryListHasABound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	byID := map[string]*contract.Operation{}
	for _, op := range sortedOperations(w) {
		byID[op.ID] = op
	}
	for _, op := range sortedOperations(w) {
		response := op.Route.Operation.Responses.Status(http.StatusOK)
		if op.Route.Method != http.MethodGet || response == nil || response.Value.Content["application/json"] == nil {
			continue
		}
		partsOf(response.Value.Content["application/json"].Schema, "", nil, func(name string, s *openapi3.Schema) {
			switch {
			case s.MaxItems != nil || s.MaxProps != nil || boundedByOthers[name] != "":
			case name == "items" && (hasPages(op) || boundedByOthers[op.ID] != ""):
			case name == "items" && op.Route.Operation.Extensions["x-cap"] != nil:
				checkCap(t, byID, op)
			default:
				t.Errorf("%s: the list %s has no bound", op.ID, name)
			}
		})
	}
}

// checkCap checks that the operations that add to a list say how many it can have.
func checkCap(t *testing.T, byID map[string]*contract.Operation, op *contract.Operation) {
	t.Helper()
	var bound listCap
	text, err := json.Marshal(op.Route.Operation.Extensions["x-cap"])
	if err == nil {
		err = json.Unmarshal(text, &bound)
	}
	if err != nil || bound.Most == 0 || len(bound.By) == 0 {
		t.Errorf("%s: x-cap is %s, %v", op.ID, text, err)
	}
	for _, id := range bound.By {
		by := byID[id]
		if by == nil {
			t.Errorf("%s: the operation %s does not exist", op.ID, id)
			continue
		}
		number := regexp.MustCompile(fmt.Sprintf(`\b%d\b`, bound.Most))
		if !number.MatchString(by.Route.Operation.Description) {
			t.Errorf("%s: the description of %s lacks the cap %d of the list", op.ID, id, bound.Most)
		}
	}
}

// Lists with pages return no more than their page.
func TestListsKeepToTheirPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.person("p")
	ids := everything(p)
	p.do("DELETE", "/api/v1/exports/"+p.export(ids["project_uuid"]), nil).want(204, "")
	p.do("DELETE", "/api/v1/exports/"+p.export(ids["project_uuid"]), nil).want(204, "")
	p.do("POST", "/api/v1/asset-groups/", map[string]any{"name": "h"}).want(201, "")
	p.do("POST", "/api/v1/projects/", map[string]any{"name": "Other"}).want(201, "")
	w.person("q")
	longer := 0
	for _, op := range sortedOperations(w) {
		if op.Route.Method != http.MethodGet || !hasPages(op) {
			continue
		}
		path := fill(op, ids) + "?page_size=1"
		if op.Route.Operation.Parameters.GetByInAndName("query", "q") != nil {
			path += "&q=" + map[bool]string{true: "bold"}[op.ID == "search"]
		}
		r := p.do("GET", strings.TrimSuffix(path, "&q="), nil).want(200, "")
		var page struct {
			Items           []json.RawMessage
			Total, PageSize int
		}
		if err := json.Unmarshal(r.body, &page); err != nil || len(page.Items) > 1 {
			t.Errorf("%s responds with %d items for a page of 1, %v", op.ID, len(page.Items), err)
		}
		if page.Total > 1 {
			longer++
		}
	}
	if longer < 5 {
		t.Errorf("only %d lists have more than a page", longer)
	}
}
