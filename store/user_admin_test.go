package store

import (
	"fmt"
	"testing"
	"time"

	"roughcut/store/account"
	"roughcut/store/billing"
)

func TestGrantedTierHasNoEndAndFillsTheBalance(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	must(t, w.ChangeAccount(u.UUID, AccountChange{Tier: new(billing.Viral)}))
	w.clock.Advance(14 * day)
	after := get(w.Billing(u.UUID))(t)
	if after.Tier != billing.Viral || after.SubscriptionStatus != "active" || after.TrialEndsAt != nil ||
		!after.CanAccessSupport {
		t.Errorf("billing %+v", after)
	}
	if after.Balance != billing.DefaultTierTable().Tiers[billing.Viral].AIMinutes ||
		after.StorageQuotaBytes != billing.DefaultTierTable().Tiers[billing.Viral].StorageQuotaBytes {
		t.Errorf("%v minutes and %d bytes", after.Balance, after.StorageQuotaBytes)
	}
	must(t, w.ChangeAccount(u.UUID, AccountChange{Tier: new(billing.Free)}))
	got := get(w.Billing(u.UUID))(t)
	if got.Tier != billing.Free || got.SubscriptionStatus != "none" || got.HasActivePlan {
		t.Errorf("billing %+v", got)
	}
	wantCode(t, w.ChangeAccount(u.UUID, AccountChange{Tier: new(billing.Tier("gold"))}), Unprocessable, "unprocessable")
	wantCode(t, w.ChangeAccount("nobody", AccountChange{Tier: new(billing.Free)}), NotFound, "not_found")
	w.clean()
}

func TestLastAdminIsKept(t *testing.T) {
	t.Parallel()
	w := open(t)
	first, second := w.user("ada"), w.user("eve")
	wantCode(t, w.ChangeAccount(first.UUID, AccountChange{Admin: new(false)}), Conflict, "last_admin")
	wantCode(t, w.RemoveUser(first.UUID), Conflict, "last_admin")
	must(t, w.ChangeAccount(second.UUID, AccountChange{Admin: new(true)}))
	must(t, w.ChangeAccount(first.UUID, AccountChange{Admin: new(false)}))
	if get(w.User(first.UUID))(t).IsAdmin || !get(w.User(second.UUID))(t).IsAdmin {
		t.Error("the admin rights did not change")
	}
	must(t, w.ChangeAccount(first.UUID, AccountChange{Admin: new(false)})) // loses nothing
	wantCode(t, w.ChangeAccount(second.UUID, AccountChange{Admin: new(false)}), Conflict, "last_admin")
	wantCode(t, w.ChangeAccount("nobody", AccountChange{Admin: new(false)}), NotFound, "not_found")
	w.project(first)
	must(t, w.RemoveUser(first.UUID))
	wantCode(t, w.RemoveUser(first.UUID), NotFound, "not_found")
	w.clean()
}

func TestUsersAreFoundByAnyName(t *testing.T) {
	t.Parallel()
	w := open(t)
	for i := range 5 {
		w.user(fmt.Sprintf("user%d", i))
		w.clock.Advance(time.Second)
	}
	get(w.CreateUser(account.User{Name: "Grace Hopper", Username: "gh", Email: "navy@example.org"}))(t)
	list, total, err := w.Users(Page{Number: 2, Size: 2}, account.UserFilter{Query: "USER"})
	must(t, err)
	if total != 5 || len(list) != 2 || list[0].Username != "user2" || list[1].Username != "user1" {
		t.Errorf("%d in all: %+v", total, list)
	}
	if list[0].Billing.Tier != billing.Creator {
		t.Errorf("billing %+v", list[0].Billing)
	}
	for q, want := range map[string]int{"": 6, "hopper": 1, "navy@": 1, " GH ": 1, "nobody": 0} {
		if _, total, err := w.Users(Page{}, account.UserFilter{Query: q}); err != nil || total != want {
			t.Errorf("%q finds %d of %d, %v", q, total, want, err)
		}
	}
}
