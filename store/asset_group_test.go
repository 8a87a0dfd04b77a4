package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"roughcut/store/account"
)

// library is the model of a user's library.
type library struct {
	t       *rapid.T
	w       *world
	user    account.User
	groups  []Group    // oldest first; AssetCount is not set
	assets  []string   // oldest first
	members []membered // in the order in which they joined
}

type membered struct{ group, asset string }

func (l *library) pickGroup() string {
	return rapid.SampledFrom(l.groups).Draw(l.t, "group").UUID
}

func (l *library) pickAsset() string {
	return rapid.SampledFrom(l.assets).Draw(l.t, "asset")
}

func (l *library) undefault(g Group) {
	for i := range l.groups {
		l.groups[i].IsDefault = l.groups[i].IsDefault && !g.IsDefault
	}
}

func (l *library) add(group, asset string) int {
	if slices.Contains(l.members, membered{group, asset}) {
		return 0
	}
	l.members = append(l.members, membered{group, asset})
	return 1
}

func (l *library) createGroup(t *rapid.T) {
	g, err := l.w.CreateGroup(
		l.user.UUID,
		Group{Name: "g", IsDefault: rapid.Bool().Draw(t, "default"), IsPinned: rapid.Bool().Draw(t, "pinned")},
	)
	must(l.w.t, err)
	l.undefault(g)
	l.groups = append(l.groups, g)
}

func (l *library) updateGroup(t *rapid.T) {
	id, pinned, standard := l.pickGroup(), rapid.Bool().Draw(t, "pinned"), rapid.Bool().Draw(t, "default")
	g, err := l.w.UpdateGroup(l.user.UUID, id, func(g *Group) { g.IsPinned, g.IsDefault = pinned, standard })
	must(l.w.t, err)
	l.undefault(g)
	at := slices.IndexFunc(l.groups, func(g Group) bool { return g.UUID == id })
	l.groups[at].IsPinned, l.groups[at].IsDefault = pinned, standard
}

func (l *library) deleteGroup(*rapid.T) {
	id := l.pickGroup()
	must(l.w.t, l.w.DeleteGroup(l.user.UUID, id))
	l.groups = slices.DeleteFunc(l.groups, func(g Group) bool { return g.UUID == id })
	l.members = slices.DeleteFunc(l.members, func(m membered) bool { return m.group == id })
}

func (l *library) createAsset(t *rapid.T) {
	in, group := NewAsset{}, ""
	for _, g := range l.groups {
		if g.IsDefault {
			group = g.UUID
		}
	}
	if len(l.groups) > 0 && rapid.Bool().Draw(t, "given") {
		group = l.pickGroup()
		in.GroupUUID = &group
	}
	a := l.w.sent(l.user, in, 1)
	if rapid.Bool().Draw(t, "group deleted before the confirm") && group != "" {
		must(l.w.t, l.w.DeleteGroup(l.user.UUID, group))
		l.groups = slices.DeleteFunc(l.groups, func(g Group) bool { return g.UUID == group })
		l.members = slices.DeleteFunc(l.members, func(m membered) bool { return m.group == group })
		group = ""
	}
	_, _, err := l.w.ConfirmAsset(l.user.UUID, a.UUID)
	must(l.w.t, err)
	l.assets = append(l.assets, a.UUID)
	if group != "" {
		l.add(group, a.UUID)
	}
}

func (l *library) deleteAsset(*rapid.T) {
	id := l.pickAsset()
	must(l.w.t, l.w.DeleteAsset(l.user.UUID, id))
	l.assets = slices.DeleteFunc(l.assets, func(a string) bool { return a == id })
	l.members = slices.DeleteFunc(l.members, func(m membered) bool { return m.asset == id })
}

func (l *library) addToGroups(t *rapid.T) {
	asset, want := l.pickAsset(), 0
	into := []string{l.pickGroup(), l.pickGroup()} // may be the same twice
	for _, group := range into {
		want += l.add(group, asset)
	}
	if n, err := l.w.AddToGroups(l.user.UUID, asset, into...); err != nil || n != want {
		t.Fatalf("added %d (%v), want %d", n, err, want)
	}
}

func (l *library) removeFromGroup(t *rapid.T) {
	m := membered{l.pickGroup(), l.pickAsset()}
	err := l.w.RemoveFromGroup(l.user.UUID, m.group, m.asset)
	if there := slices.Contains(l.members, m); there != (err == nil) || (!there && !IsKind(err, NotFound)) {
		t.Fatalf("removing a member (known %v): %v", there, err)
	}
	l.members = slices.DeleteFunc(l.members, func(other membered) bool { return other == m })
}

// check compares all lists with the model.
func (l *library) check(t *rapid.T) {
	ids := func(list []Asset, n int, err error) []string {
		must(l.w.t, err)
		var out []string
		for _, a := range list {
			out = append(out, a.UUID)
		}
		if n != len(list) {
			t.Fatalf("the total is %d for a list of %d", n, len(list))
		}
		return out
	}
	same := func(what string, got, want []string) {
		if !slices.Equal(got, want) {
			t.Fatalf("%s: got %v, want %v", what, got, want)
		}
	}
	groups := slices.Clone(l.groups)
	slices.Reverse(groups)
	slices.SortStableFunc(groups, func(a, b Group) int { return cmp.Compare(btoi(b.IsPinned), btoi(a.IsPinned)) })
	got, n, err := l.w.Groups(l.user.UUID, Page{})
	must(l.w.t, err)
	if n != len(groups) || len(got) != n {
		t.Fatalf("%d groups, want %d", n, len(groups))
	}
	for i, g := range got {
		var members []string
		for _, m := range l.members {
			if m.group == g.UUID {
				members = append(members, m.asset)
			}
		}
		slices.Reverse(members)
		if g.UUID != groups[i].UUID || g.AssetCount != len(members) || g.IsDefault != groups[i].IsDefault {
			t.Fatalf("group %d is %+v, want %+v with %d assets", i, g, groups[i], len(members))
		}
		same("group", ids(l.w.Assets(l.user.UUID, AssetFilter{GroupUUID: g.UUID}, Page{})), members)
	}
	assets := slices.Clone(l.assets)
	slices.Reverse(assets)
	same("assets", ids(l.w.Assets(l.user.UUID, AssetFilter{}, Page{})), assets)
	var lone []string
	for _, id := range assets {
		var in []string
		for _, m := range l.members {
			if m.asset == id {
				in = append(in, m.group)
			}
		}
		var has []string
		for _, g := range get(l.w.AssetGroups(l.user.UUID, id))(l.w.t) {
			has = append(has, g.UUID)
		}
		same("groups of an asset", has, in)
		first := get(l.w.Asset(l.user.UUID, id))(l.w.t).GroupUUID
		if len(in) == 0 {
			lone = append(lone, id)
		}
		if (first == nil) != (len(in) == 0) || (first != nil && *first != in[0]) {
			t.Fatalf("group_id is %v for an asset in %v", first, in)
		}
	}
	same("ungrouped", ids(l.w.Assets(l.user.UUID, AssetFilter{Ungrouped: true}, Page{})), lone)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestGroupsAndMembershipsFollowAModel(t *testing.T) {
	t.Parallel()
	w := open(t)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		l := &library{t: rt, w: w, user: w.user(fmt.Sprintf("user%d", n))}
		steps := map[string]func(*rapid.T){
			"create group": l.createGroup,
			"update group": l.updateGroup,
			"delete group": l.deleteGroup,
			"create asset": l.createAsset,
			"delete asset": l.deleteAsset,
			"add":          l.addToGroups,
			"remove":       l.removeFromGroup,
		}
		l.createGroup(rt)
		l.createAsset(rt)
		for range rapid.IntRange(1, 10).Draw(rt, "steps") {
			name := rapid.SampledFrom(
				[]string{
					"create group",
					"update group",
					"delete group",
					"create asset",
					"delete asset",
					"add",
					"add",
					"add",
					"remove",
				},
			).Draw(rt, "step")
			if (len(l.groups) > 0 || strings.HasPrefix(name, "create")) &&
				(len(l.assets) > 0 || !strings.Contains(" add remove delete asset", name)) {
				steps[name](rt)
			}
			l.check(rt)
		}
	})
	w.clean()
}

func TestGroupNeedsAName(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	_, err := w.CreateGroup(u.UUID, Group{})
	wantCode(t, err, Unprocessable, "unprocessable")
	g := get(w.CreateGroup(u.UUID, Group{Name: "g", Description: "d", DefaultInstructions: "i"}))(t)
	_, err = w.UpdateGroup(u.UUID, g.UUID, func(g *Group) { g.Name = "" })
	wantCode(t, err, Unprocessable, "unprocessable")
	w.clock.Advance(1e9)
	kept := get(
		w.UpdateGroup(u.UUID, g.UUID, func(g *Group) { g.UUID, g.UserUUID, g.AssetCount, g.Name = "x", "x", 7, "h" }),
	)(t)
	if kept.UUID != g.UUID || kept.UserUUID != u.UUID || kept.AssetCount != 0 || kept.Name != "h" ||
		kept.Description != "d" ||
		kept.CreatedAt != g.CreatedAt ||
		kept.UpdatedAt == g.UpdatedAt {
		t.Errorf("%+v", kept)
	}
}
