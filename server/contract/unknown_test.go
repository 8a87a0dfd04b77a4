package contract

import (
	"slices"
	"testing"
)

const unknownDocument = `
openapi: 3.0.3
info: {title: T, version: "1"}
components: {examples: {}}
paths:
  /things:
    post:
      operationId: make
      requestBody:
        content:
          application/json:
            schema:
              allOf:
                - type: object
                  properties: {name: {type: string}, free: {type: object}}
                - type: object
                  properties:
                    parts: {type: array, items: {type: object, properties: {at: {type: integer}}}}
                    by: {type: object, additionalProperties: {type: object, properties: {on: {type: boolean}}}}
                    form:
                      oneOf:
                        - {type: object, properties: {a: {type: string}}}
                        - {type: object, properties: {b: {type: string}}}
      responses: {"200": {description: Made}}
    get:
      operationId: list
      responses: {"200": {description: All}}
`

func TestUnknownFields(t *testing.T) {
	t.Parallel()
	c, err := Read([]byte(unknownDocument))
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string][]string{
		`{"name": "x", "free": {"any": {"thing": 1}}}`:            nil,
		`{"nam": "x", "pacing": {"a": 1}}`:                        {"nam", "pacing"},
		`{"parts": [{"at": 1}, {"at": 2, "att": 3}], "by": {}}`:   {"parts[1].att"},
		`{"by": {"any": {"on": true, "off": false}}}`:             nil,
		`{"form": {"a": "", "b": "", "c": ""}, "parts": {"x":1}}`: {"form.c"},
		`[1, "text"]`: nil,
		`no JSON`:     nil,
		``:            nil,
	} {
		if got := c.Operation("POST", "/things").UnknownFields([]byte(body)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", body, got, want)
		}
	}
	if got := c.Operation("GET", "/things").UnknownFields([]byte(`{"a": 1}`)); got != nil {
		t.Errorf("without a body in the contract: %v", got)
	}
}
