package contract

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"roughcut/server/problem"
	"roughcut/store"
)

func readContract(t *testing.T) *Contract {
	t.Helper()
	yaml, err := os.ReadFile("../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := Read(yaml)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// statusOfCodes returns the status of each error code. A code has one status.
func statusOfCodes(t *testing.T, c *Contract) map[string]int {
	t.Helper()
	table, err := c.ErrorCodes()
	if err != nil {
		t.Fatal(err)
	}
	statuses := map[string]int{}
	for status, codes := range table {
		for code := range codes {
			if other, taken := statuses[code]; taken {
				t.Errorf("the code %s has the statuses %d and %s", code, other, status)
			}
			statuses[code], _ = strconv.Atoi(status)
		}
	}
	return statuses
}

func TestErrorCodeListsTheCodesOfTheTable(t *testing.T) {
	c := readContract(t)
	statuses := statusOfCodes(t, c)
	var listed []string
	for _, code := range c.Spec.Components.Schemas["ErrorCode"].Value.Enum {
		listed = append(listed, code.(string))
		if statuses[code.(string)] == 0 {
			t.Errorf("x-error-codes lacks the meaning of %s", code)
		}
	}
	if !slices.IsSortedFunc(listed, func(a, b string) int { return statuses[a] - statuses[b] }) {
		t.Errorf("the codes are not in the order of their statuses: %v", listed)
	}
	for code := range statuses {
		if !slices.Contains(listed, code) {
			t.Errorf("the schema ErrorCode lacks %s", code)
		}
	}
}

// An operation declares the status of each code that it lists, and lists a code for each error
// status. Responses to HEAD have no body, so they have no code.
func TestOperationsListTheCodesOfTheirStatuses(t *testing.T) {
	c := readContract(t)
	statuses := statusOfCodes(t, c)
	for _, op := range c.Operations() {
		if op.Route.Method == "HEAD" {
			if op.ErrorCodes != nil {
				t.Errorf("%s lists codes", op.ID)
			}
			continue
		}
		explained := map[string]bool{}
		for _, code := range op.ErrorCodes {
			status := strconv.Itoa(statuses[code])
			explained[status] = true
			if op.Route.Operation.Responses.Value(status) == nil {
				t.Errorf("%s lists %s, but does not declare %s", op.ID, code, status)
			}
		}
		if !slices.IsSortedFunc(op.ErrorCodes, func(a, b string) int { return statuses[a] - statuses[b] }) {
			t.Errorf("%s: the codes are not in the order of their statuses: %v", op.ID, op.ErrorCodes)
		}
		for status := range op.Route.Operation.Responses.Map() {
			if status >= "400" && !explained[status] {
				t.Errorf("%s declares %s, but lists no code of it", op.ID, status)
			}
		}

		lists := func(code string) bool { return slices.Contains(op.ErrorCodes, code) }
		for _, code := range []string{"request_in_progress", "response_unknown", "key_reused"} {
			if lists(code) != op.TakesKey {
				t.Errorf("%s: takes an Idempotency-Key: %t, lists %s: %t", op.ID, op.TakesKey, code, lists(code))
			}
		}
		if lists("response_not_kept") != op.Secret {
			t.Errorf("%s: has a secret: %t, lists response_not_kept: %t", op.ID, op.Secret, lists("response_not_kept"))
		}
		if op.Costs && !lists("busy") {
			t.Errorf("%s costs, but does not list busy", op.ID)
		}
	}
}

// kinds are the kinds of errors by their names in the code.
var kinds = map[string]store.Kind{
	"Invalid": store.Invalid, "Unauthenticated": store.Unauthenticated, "PaymentRequired": store.PaymentRequired,
	"Forbidden": store.Forbidden, "NotFound": store.NotFound, "Conflict": store.Conflict,
	"Precondition": store.Precondition, "TooLarge": store.TooLarge, "Misdirected": store.Misdirected,
	"Unprocessable": store.Unprocessable, "RateLimited": store.RateLimited, "Unavailable": store.Unavailable,
	"StorageFull": store.StorageFull,
}

// elsewhere lists the codes of errors that no response has, with the place that shows them.
var elsewhere = map[string]string{
	"oauth_email_unverified": "the address of the sign-in page",
	"oauth_expired":          "the address of the sign-in page",
	"cannot_start":           "the log of a job",
	"no_server":              "the command line",
}

// Each error in the code has a code of the contract, with the status of its kind.
func TestErrorsInTheCodeHaveCodesOfTheContract(t *testing.T) {
	statuses := statusOfCodes(t, readContract(t))
	given := regexp.MustCompile(`\b([A-Z]\w+),\s+"([a-z_]+)",`)
	written := regexp.MustCompile(`\bCode:\s+"([a-z_]+)"`)
	var source []byte
	for _, root := range []string{"../../store", "../../pipeline", "../../server"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
				strings.HasSuffix(path, ".gen.go") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			source = append(source, text...)
			for _, match := range given.FindAllSubmatch(text, -1) {
				kind, known := kinds[string(match[1])]
				if !known {
					continue
				}
				code := string(match[2])
				if elsewhere[code] != "" {
					continue
				}
				p, _ := problem.Of(&store.Error{Kind: kind, Code: code})
				if statuses[code] != p.Status {
					t.Errorf("%s: %s %s has the status %d, want %d", path, match[1], code, p.Status, statuses[code])
				}
			}
			for _, match := range written.FindAllSubmatch(text, -1) {
				if code := string(match[1]); statuses[code] == 0 {
					t.Errorf("%s: the contract lacks the code %s", path, code)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}

	for code := range statuses {
		if !bytes.Contains(source, []byte(`"`+code+`"`)) {
			t.Errorf("no error in the code has the code %s", code)
		}
	}
}

func TestDocumentDescribesTheErrorCodesOfOperations(t *testing.T) {
	c := readContract(t)
	document, err := c.Document()
	if err != nil {
		t.Fatal(err)
	}
	for path, about := range map[string]string{
		"/api/v1/auth/options": "",
		"/api/v1/users/me":     "Error codes: `not_authenticated`, `forbidden`.",
	} {
		item := document["paths"].(map[string]any)[path].(map[string]any)
		got, _ := item["get"].(map[string]any)["description"].(string)
		if about == "" {
			about = strings.TrimSpace(c.Operation("GET", path).Route.Operation.Description) +
				"\n\nError codes: `forbidden`."
		}
		if got != about {
			t.Errorf("%s has the description %q, want %q", path, got, about)
		}
	}
}

// With the keyword default, openapi-typescript requires a field in requests. Descriptions state the
// defaults of fields; parameters may have the keyword.
func TestSchemasHaveNoDefaults(t *testing.T) {
	c := readContract(t)
	var walk func(where string, ref *openapi3.SchemaRef)
	walk = func(where string, ref *openapi3.SchemaRef) {
		if ref == nil || ref.Ref != "" {
			return
		}
		if ref.Value.Default != nil {
			t.Errorf("%s has the keyword default", where)
		}
		for name, property := range ref.Value.Properties {
			walk(where+"."+name, property)
		}
		walk(where, ref.Value.Items)
		for _, list := range []openapi3.SchemaRefs{ref.Value.AllOf, ref.Value.OneOf, ref.Value.AnyOf} {
			for _, one := range list {
				walk(where, one)
			}
		}
	}
	for name, schema := range c.Spec.Components.Schemas {
		walk(name, schema)
	}
}
