package server

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	"roughcut/server/api"
	"roughcut/store"
)

// The contract and the store name the same properties of a placement, with the same types.
func TestPlacementsHaveTheFieldsOfTheContract(t *testing.T) {
	t.Parallel()
	fields := func(typ reflect.Type) map[string]reflect.Kind {
		kinds := map[string]reflect.Kind{}
		for i := range typ.NumField() {
			field := typ.Field(i)
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if field.Type.Kind() == reflect.Pointer {
				kinds[name] = field.Type.Elem().Kind()
			}
		}
		return kinds
	}
	want := fields(reflect.TypeFor[store.PlacementChange]())
	change := fields(reflect.TypeFor[api.EditChange]())
	for _, other := range []string{"active", "start_ms", "end_ms", "action"} {
		delete(change, other)
	}
	if !maps.Equal(change, want) {
		t.Errorf("changes have %v, and the store has %v", change, want)
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[api.NewEdit](), reflect.TypeFor[api.Edit]()} {
		got := fields(typ)
		maps.DeleteFunc(got, func(name string, _ reflect.Kind) bool { return want[name] == reflect.Invalid })
		if !maps.Equal(got, want) {
			t.Errorf("%s has %v, and the store has %v", typ, got, want)
		}
	}
}
