package contracttest

import (
	"os"
	"testing"

	"roughcut/server/contract"
)

func TestUndeclared(t *testing.T) {
	yaml, err := os.ReadFile("../../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := contract.Read(yaml)
	if err != nil {
		t.Fatal(err)
	}
	for _, answer := range []struct {
		method, path string
		status       int
		code         string
		declared     bool
	}{
		{"GET", "/api/v1/users/me", 200, "", true},
		{"GET", "/api/v1/users/me/", 200, "", true},
		{"GET", "/api/v1/users/me", 201, "", false},
		{"GET", "/api/v1/users/me", 401, "not_authenticated", true},
		{"GET", "/api/v1/users/me", 401, "invalid_credentials", false},
		{"GET", "/api/v1/users/me", 429, "rate_limited", false},
		{"GET", "/api/v1/users/me", 500, "internal", true},
		{"POST", "/api/v1/projects/17/analyze", 429, "too_many_jobs", true},
		{"POST", "/api/v1/projects/17/shorts", 429, "too_many_jobs", false},
		{"POST", "/api/v1/projects/17/clips/presign", 507, "storage_full", true},
	} {
		op := Find(c, answer.method, answer.path)
		if op == nil {
			t.Fatalf("%s %s is no operation", answer.method, answer.path)
		}
		if err := Undeclared(op, answer.status, answer.code); (err == nil) != answer.declared {
			t.Errorf("%s %s -> %d %s: %v", answer.method, answer.path, answer.status, answer.code, err)
		}
	}

	if op := Find(c, "GET", "/api/v1/nothing"); op != nil {
		t.Errorf("/api/v1/nothing is %s", op.ID)
	}
	if op := Find(c, "GET", "/api/v1/assets/ungrouped"); op == nil || op.ID != "listUngroupedAssets" {
		t.Errorf("/api/v1/assets/ungrouped is %+v", op)
	}
}
