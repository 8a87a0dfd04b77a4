package store

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "add new fields to testdata/stored_fields.txt")

// TestStoredFieldNames compares the JSON names of all stored fields with
// testdata/stored_fields.txt. A name that changes or goes makes existing data directories lose that
// field. The flag -update adds new fields to the file. The table history_steps repeats fields of
// others.
func TestStoredFieldNames(t *testing.T) {
	t.Parallel()
	rows := map[string]reflect.Type{
		"speakers":   reflect.TypeFor[speakerTurn](),
		"events":     reflect.TypeFor[Event](),
		"meta.speed": reflect.TypeFor[renderSpeed](),
	}
	for _, tab := range tables() {
		v := reflect.ValueOf(tab).Elem() // a table.Table
		rows[v.FieldByName("Name").String()] = v.FieldByName("Key").Type().In(0).Elem()
	}
	var got []string
	for bucket, row := range rows {
		got = append(got, storedFields(bucket, row)...)
	}
	slices.Sort(got)
	file := filepath.Join("testdata", "stored_fields.txt")
	want := strings.Split(strings.TrimSpace(string(get(os.ReadFile(file))(t))), "\n")
	if *update {
		want = slices.Concat(want, got)
		slices.Sort(want)
		want = slices.Compact(want)
		must(t, os.WriteFile(file, []byte(strings.Join(want, "\n")+"\n"), 0o644))
	}
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("the stored field %s is gone", name)
		}
	}
	for _, name := range got {
		if !slices.Contains(want, name) {
			t.Errorf("the stored field %s is not in testdata/stored_fields.txt", name)
		}
	}
}

// storedFields returns the paths of the JSON fields of a type, below a prefix.
func storedFields(prefix string, typ reflect.Type) (list []string) {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct || typ == reflect.TypeFor[time.Time]() {
		return []string{prefix}
	}
	for i := range typ.NumField() {
		field := typ.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-", !field.IsExported() && !field.Anonymous:
		case field.Anonymous && name == "":
			list = append(list, storedFields(prefix, field.Type)...)
		case name == "":
			list = append(list, storedFields(prefix+"."+field.Name, field.Type)...)
		default:
			list = append(list, storedFields(prefix+"."+name, field.Type)...)
		}
	}
	return list
}
