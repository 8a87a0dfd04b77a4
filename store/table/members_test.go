package table

import (
	"encoding/json"
	"maps"
	"testing"
)

// FuzzMembers compares AppendMembers with encoding/json, for every object in the form that
// encoding/json writes.
func FuzzMembers(f *testing.F) {
	for _, row := range []string{
		`{}`,
		`{"A":1}`,
		`{"A":"x,y:z","B":{"C":[1,{"D":"}"}]},"E":null}`,
		`{"quote\"d":"\\","<":"\u003c"}`,
		`{"A":[],"B":{},"A":2}`,
		`[1]`, `{"A"}`, `{"A":}`, `{"A":1,}`, `{1:2}`, ``, `null`, `{"A`, `{"A":"x`,
	} {
		f.Add([]byte(row))
	}
	f.Fuzz(func(t *testing.T, row []byte) {
		list, err := AppendMembers(nil, row)
		var object map[string]json.RawMessage
		if json.Unmarshal(row, &object) != nil || object == nil {
			return // only that it returns
		}
		written, marshalErr := json.Marshal(object)
		if marshalErr != nil {
			t.Fatal(marshalErr)
		}
		want := map[string]json.RawMessage{}
		if err := json.Unmarshal(written, &want); err != nil {
			t.Fatal(err)
		}
		if string(written) != string(row) {
			list, err = AppendMembers(nil, written)
		}
		got := map[string]json.RawMessage{}
		for _, member := range list {
			got[string(member.Name)] = member.Value
		}
		equal := func(a, b json.RawMessage) bool { return string(a) == string(b) }
		if err != nil || !maps.EqualFunc(got, want, equal) {
			t.Errorf("%s: got %q, %v, want %q", written, got, err, want)
		}
	})
}

func TestMembersRefusesWhatIsNoObject(t *testing.T) {
	for _, row := range []string{``, `null`, `[1]`, `{"A"}`, `{"A":}`, `{"A":1,}`, `{1:2}`, `{A:2}`, `{"A`} {
		if got, err := AppendMembers(nil, []byte(row)); err == nil {
			t.Errorf("%q: got %q", row, got)
		}
	}
}
