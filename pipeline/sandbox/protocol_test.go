//go:build linux

package sandbox

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"roughcut/media"
	"roughcut/pipeline/detect"
)

// fill sets every field of a value to something other than its zero value. It fails for fields that
// JSON would lose.
func fill(t *testing.T, v reflect.Value, name string) {
	t.Helper()
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), name)
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if !field.IsExported() {
				t.Errorf("%s.%s is not exported, so a child does not get it", name, field.Name)
				continue
			}
			fill(t, v.Field(i), name+"."+field.Name)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0), name)
	case reflect.Array:
		for i := range v.Len() {
			fill(t, v.Index(i), name)
		}
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(math.Pi)
	case reflect.Uint8:
		v.SetUint(7)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(7)
	case reflect.Interface:
		if name != "ingestCall.Request.Speech" { // the child has a separate listener
			t.Errorf("%s cannot be sent", name)
		}
	default:
		t.Errorf("%s has the kind %v, which no message has had before", name, v.Kind())
	}
}

func TestMessagesKeepEveryField(t *testing.T) {
	t.Parallel()
	for _, message := range []any{
		new(renderCall), new(stillCall), new(transcribeCall), new(ingestCall), new(media.AssetRequest),
		new(media.TrimRequest), new(media.RoomToneRequest), new(media.SpeechHints), new(media.Info), new(media.Asset),
		new(media.RenderResult), new(media.CountRequest), new(media.FrameCounts), new(media.Transcript),
		new(hearCall), new(detect.Evidence), new(request), new(reply),
	} {
		v := reflect.ValueOf(message).Elem()
		switch m := message.(type) {
		case *request:
			m.Body = json.RawMessage("1")
		case *reply:
			m.Result = json.RawMessage("1")
		default:
			fill(t, v, v.Type().Name())
		}
		text, err := json.Marshal(message)
		if err != nil {
			t.Fatal(err)
		}
		got := reflect.New(v.Type())
		if err := json.Unmarshal(text, got.Interface()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(message, got.Interface()); diff != "" {
			t.Errorf("%v:\n%s", v.Type(), diff)
		}
	}
}

func TestIngestResultKeepsEveryField(t *testing.T) {
	t.Parallel()
	var want media.IngestResult
	fill(t, reflect.ValueOf(&want).Elem(), "IngestResult")
	want.Energies = append(want.Energies, media.Energy{Power: math.Inf(1), Peak: math.NaN()})
	text, err := json.Marshal(packIngest(want, nil))
	if err != nil {
		t.Fatal(err)
	}
	var got ingestReply
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	same := cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
	if diff := cmp.Diff(want, got.unpack(), same); diff != "" {
		t.Errorf("results differ:\n%s", diff)
	}
}

// pathsOf returns the values of all fields of a value whose name ends in Path.
func pathsOf(v reflect.Value) (all []string) {
	switch v.Kind() {
	case reflect.Pointer:
		return pathsOf(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			all = append(all, pathsOf(v.Index(i))...)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if strings.HasSuffix(v.Type().Field(i).Name, "Path") {
				all = append(all, v.Field(i).String())
			}
			all = append(all, pathsOf(v.Field(i))...)
		}
	}
	return all
}

func TestPlanOfAChildHasNoOtherPaths(t *testing.T) {
	t.Parallel()
	plan := new(media.RenderPlan)
	fill(t, reflect.ValueOf(plan).Elem(), "RenderPlan")
	before := pathsOf(reflect.ValueOf(plan))
	for i := range plan.Inputs {
		plan.Inputs[i].Path = "/dev/null"
	}
	plan.Overlays[0].Path, plan.Audio.Assets[0].Path, plan.Cover.Path = "/dev/null", "/dev/null", "/dev/null"
	given := *plan
	f := newFiles()
	defer f.close()
	if err := f.readPlan(plan); err != nil {
		t.Fatal(err)
	}
	paths := pathsOf(reflect.ValueOf(plan))
	for _, path := range paths {
		if path != "" && !strings.HasPrefix(path, "/proc/self/fd/") {
			t.Errorf("the plan of a child has the path %s", path)
		}
	}
	if len(paths) != len(before) || len(paths) < 5 {
		t.Errorf("found %d paths, want the paths of inputs, overlays, audio and cover", len(paths))
	}
	if given.Inputs[0].Path != "/dev/null" || given.Cover.Path != "/dev/null" {
		t.Error("the plan of the caller changed")
	}
}
