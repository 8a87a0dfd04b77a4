package store

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/store/account"
	"roughcut/store/billing"
)

// sound is the probe result of an audio file.
func sound(durationMS int64) media.Asset {
	return media.Asset{
		Kind:        media.KindAudio,
		ContentType: "audio/mpeg",
		Info: media.Info{Format: "mp3", ContentType: "audio/mpeg",
			DurationMS: durationMS, Audio: &media.AudioInfo{Codec: "mp3", SampleRate: 44100, Channels: 2}},
	}
}

// movie is the probe result of a video.
func movie(durationMS int64) media.Asset {
	a := sound(durationMS)
	a.Kind, a.ContentType = media.KindVideo, "video/mp4"
	a.Info.Video = &media.VideoInfo{Codec: "h264", Width: 640, Height: 360, Rate: media.Rate{Num: 30, Den: 1}}
	return a
}

// sent presigns an asset and uploads its bytes.
func (w *world) sent(u account.User, in NewAsset, size int) Asset {
	w.t.Helper()
	in.SizeBytes = int64(max(size, 1))
	if in.ContentType == "" {
		in.FileName, in.ContentType = "city.mp4", "video/mp4"
	}
	a := get(w.PresignAsset(u.UUID, in))(w.t)
	w.sendFile(a.AssetFileID, size)
	return a
}

func (w *world) sendFile(fileID string, size int) {
	w.t.Helper()
	up := get(w.OpenUpload(fileID))(w.t)
	get(up.Write(make([]byte, size)))(w.t)
	must(w.t, up.Commit())
}

// confirmed uploads and confirms an asset, so that its job is queued.
func (w *world) confirmed(u account.User, in NewAsset, size int) Asset {
	w.t.Helper()
	a, fresh, err := w.ConfirmAsset(u.UUID, w.sent(u, in, size).UUID)
	must(w.t, err)
	if !fresh {
		w.t.Fatal("the first confirm is not fresh")
	}
	return a
}

// claimAsset claims the job of an asset, regardless of other queued jobs.
func (w *world) claimAsset(uuid string) Job {
	w.t.Helper()
	for {
		if j := w.claim(); j.Subject == uuid {
			return j
		}
	}
}

// asset uploads an asset and finishes its job.
func (w *world) asset(u account.User, r AssetResult) Asset {
	w.t.Helper()
	a := w.confirmed(u, NewAsset{}, 1000)
	return get(w.FinishAsset(w.claimAsset(a.UUID), r))(w.t)
}

// smallQuota sets the quota of the tier of new accounts.
func smallQuota(bytes int64) func(*Options) {
	return func(o *Options) {
		o.TierTable = billing.DefaultTierTable()
		plan := o.TierTable.Tiers[billing.Creator]
		plan.StorageQuotaBytes = bytes
		o.TierTable.Tiers[billing.Creator] = plan
	}
}

func (w *world) used(u account.User) int64 {
	w.t.Helper()
	return get(w.User(u.UUID))(w.t).StorageUsedBytes
}

func TestAssetPresignRules(t *testing.T) {
	t.Parallel()
	w := open(t, func(o *Options) { o.MaxUploadBytes = 1000 }, smallQuota(2000))
	u, stranger := w.user("ada"), w.user("eve")
	theirs := get(w.CreateGroup(stranger.UUID, Group{Name: "g"}))(t)
	for _, contentType := range media.AssetTypes().ContentTypes() {
		a := get(w.PresignAsset(u.UUID, NewAsset{FileName: "f", ContentType: contentType, SizeBytes: 1000}))(t)
		kind, _, _ := strings.Cut(contentType, "/")
		if contentType == "application/mxf" {
			kind = media.KindVideo
		}
		if a.Kind != kind || a.DisplayName != "f" {
			t.Errorf("%s: %+v", contentType, a)
		}
	}
	for _, c := range []struct {
		contentType, code string
		size              int64
	}{
		{"image/png", "file_too_large", 1001},
		{"image/svg+xml", "content_type_not_allowed", 10}, {"text/html", "content_type_not_allowed", 10},
		{"image/png", "unprocessable", 0},
	} {
		_, err := w.PresignAsset(u.UUID, NewAsset{FileName: "f", ContentType: c.contentType, SizeBytes: c.size})
		wantCode(t, err, Unprocessable, c.code)
	}
	_, err := w.PresignAsset(u.UUID, NewAsset{ContentType: "image/png", SizeBytes: 1, GroupUUID: &theirs.UUID})
	wantCode(t, err, Forbidden, "forbidden")
	_, err = w.PresignAsset(u.UUID, NewAsset{ContentType: "image/png", SizeBytes: 1, GroupUUID: ptr("none")})
	wantCode(t, err, NotFound, "not_found")
	_, err = w.PresignAsset(
		u.UUID,
		NewAsset{ContentType: "image/png", SizeBytes: 1, Tags: []string{strings.Repeat("x", maxTagLen+1)}},
	)
	wantCode(t, err, Unprocessable, "unprocessable")
	_, err = w.PresignAsset(
		u.UUID,
		NewAsset{
			ContentType: "image/png",
			SizeBytes:   1,
			Tags:        numberedTags(51),
		},
	)
	wantCode(t, err, Unprocessable, "unprocessable")
	w.asset(u, AssetResult{Asset: sound(1)})
	w.asset(u, AssetResult{Asset: sound(1)})
	_, err = w.PresignAsset(u.UUID, NewAsset{ContentType: "image/png", SizeBytes: 1})
	wantCode(t, err, Unprocessable, "quota_exceeded")
	w.clean()
}

func TestAssetIsListedAfterItsConfirm(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	group := get(w.CreateGroup(u.UUID, Group{Name: "g"}))(t)
	a := w.sent(u, NewAsset{GroupUUID: &group.UUID, Tags: []string{" city  lights ", "CITY LIGHTS", "", "night"}}, 700)
	seen := func() int {
		_, n, err := w.Assets(u.UUID, AssetFilter{}, Page{})
		must(t, err)
		_, in, err := w.Assets(u.UUID, AssetFilter{GroupUUID: group.UUID}, Page{})
		must(t, err)
		if in != n || get(w.AssetGroups(u.UUID, a.UUID))(t) == nil != (n == 0) {
			t.Errorf("%d in the list, %d in the group", n, in)
		}
		return n
	}
	if seen() != 0 || w.used(u) != 0 {
		t.Error("the asset counts towards the quota before its confirm")
	}
	_, err := w.UpdateAsset(u.UUID, a.UUID, ptr("x"), nil)
	wantCode(t, err, Conflict, "asset_not_ready")
	_, err = w.AddToGroups(u.UUID, a.UUID, group.UUID)
	wantCode(t, err, Conflict, "asset_not_ready")
	_, err = w.EditAsset(u.UUID, a.UUID, AssetEdit{})
	wantCode(t, err, Conflict, "asset_not_ready")
	_, err = w.PlayableAsset(u.UUID, a.UUID)
	wantCode(t, err, Conflict, "asset_not_ready")
	got, fresh, err := w.ConfirmAsset(u.UUID, a.UUID)
	must(t, err)
	if !fresh || got.Status != AssetPending || got.SizeBytes != 700 || *got.GroupUUID != group.UUID ||
		!slices.Equal(got.Tags, []string{"city lights", "night"}) {
		t.Errorf("%v %+v", fresh, got)
	}
	if seen() != 1 || w.used(u) != 700 {
		t.Errorf("%d bytes", w.used(u))
	}
	if _, fresh, err = w.ConfirmAsset(u.UUID, a.UUID); fresh || err != nil {
		t.Errorf("a second confirm: %v %v", fresh, err)
	}
	_, err = w.OpenUpload(a.AssetFileID)
	wantCode(t, err, Conflict, "conflict")
	_, err = w.PlayableAsset(u.UUID, a.UUID)
	wantCode(t, err, Conflict, "asset_not_ready")
	done := get(
		w.FinishAsset(w.claim(), AssetResult{Asset: movie(8000), PosterTemp: w.temp(5), ProxyTemp: w.temp(7)}),
	)(t)
	if done.Status != AssetUploaded || *done.DurationMS != 8000 || done.PosterKey() == "" || done.ProxyKey() == "" {
		t.Errorf("%+v", done)
	}
	get(w.PlayableAsset(u.UUID, a.UUID))(t)
	w.clean()
	if w.used(u) != 700 {
		t.Error("poster and proxy count")
	}
	must(t, w.DeleteAsset(u.UUID, a.UUID))
	if left := w.filesUnder("media"); len(left) > 0 || w.used(u) != 0 || seen2(w, u) != 0 {
		t.Errorf("left: %v, %d bytes", left, w.used(u))
	}
	_, err = w.Asset(u.UUID, a.UUID)
	wantCode(t, err, NotFound, "not_found")
	w.clean()
}

func seen2(w *world, u account.User) int {
	_, n, err := w.Assets(u.UUID, AssetFilter{}, Page{})
	must(w.t, err)
	return n
}

func TestAssetConfirmRules(t *testing.T) {
	t.Parallel()
	w := open(t, smallQuota(1000))
	u, stranger := w.user("ada"), w.user("eve")
	a := get(w.PresignAsset(u.UUID, NewAsset{ContentType: "image/png", SizeBytes: 1}))(t)
	_, _, err := w.ConfirmAsset(u.UUID, a.UUID)
	wantCode(t, err, Conflict, "not_uploaded")
	_, _, err = w.ConfirmAsset(stranger.UUID, a.UUID)
	wantCode(t, err, Forbidden, "forbidden")
	w.sendFile(a.AssetFileID, 0)
	_, _, err = w.ConfirmAsset(u.UUID, a.UUID)
	wantCode(t, err, Unprocessable, "unprocessable")
	w.sendFile(a.AssetFileID, 1001)
	_, _, err = w.ConfirmAsset(u.UUID, a.UUID)
	wantCode(t, err, Unprocessable, "quota_exceeded")
	if left := w.filesUnder("media"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	_, _, err = w.ConfirmAsset(u.UUID, a.UUID)
	wantCode(t, err, Conflict, "not_uploaded")
	w.sendFile(a.AssetFileID, 1000)
	_, _, err = w.ConfirmAsset(u.UUID, a.UUID)
	must(t, err)
	must(t, w.FailAsset(w.claim(), "no media"))
	failed := get(w.Asset(u.UUID, a.UUID))(t)
	if failed.Status != AssetFailed || failed.Error != "no media" || w.used(u) != 0 || len(w.filesUnder("media")) > 0 {
		t.Errorf("%+v, %d bytes", failed, w.used(u))
	}
	w.clean()
}

func TestFiftyConfirmsCountOnce(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	a := w.sent(u, NewAsset{}, 700)
	var wait sync.WaitGroup
	var first atomic.Int32
	for range 50 {
		wait.Go(func() {
			_, fresh, err := w.ConfirmAsset(u.UUID, a.UUID)
			if err != nil {
				t.Error(err)
			}
			if fresh {
				first.Add(1)
			}
		})
	}
	wait.Wait()
	if first.Load() != 1 || w.used(u) != 700 {
		t.Errorf("%d first confirms, %d bytes", first.Load(), w.used(u))
	}
	w.claim()
	if _, more, err := w.ClaimJob(t.Context()); more || err != nil {
		t.Error("the asset has two jobs")
	}
	w.clean()
}

func TestUnconfirmedAssetsExpire(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	a := w.sent(u, NewAsset{}, 10)
	w.clock.Advance(time.Hour - time.Second)
	get(w.SweepExpired())(t)
	get(w.Asset(u.UUID, a.UUID))(t)
	w.reopen() // the restart must keep the row and the file
	w.clock.Advance(time.Second)
	get(w.SweepExpired())(t)
	_, err := w.Asset(u.UUID, a.UUID)
	wantCode(t, err, NotFound, "not_found")
	if left := w.filesUnder("media"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	w.clean()
}

func TestAssetFiltersCombine(t *testing.T) {
	t.Parallel()
	w := open(t)
	u, stranger := w.user("ada"), w.user("eve")
	group := get(w.CreateGroup(u.UUID, Group{Name: "g"}))(t)
	theirs := get(w.CreateGroup(stranger.UUID, Group{Name: "g"}))(t)
	named := func(name string, found media.Asset, in *string, tags ...string) Asset {
		a := w.confirmed(u, NewAsset{DisplayName: name, GroupUUID: in, Tags: tags}, 10)
		return get(w.FinishAsset(w.claimAsset(a.UUID), AssetResult{Asset: found}))(t)
	}
	night := named("City at Night", movie(1000), &group.UUID, "urban")
	bells := named("bells_of the_city.mp3", sound(1000), &group.UUID, "Urban", "old town")
	lone := named("Forest", movie(1000), nil)
	w.asset(stranger, AssetResult{Asset: sound(1)})
	for _, c := range []struct {
		f    AssetFilter
		want []Asset
	}{
		{AssetFilter{}, []Asset{lone, bells, night}},
		{AssetFilter{GroupUUID: group.UUID}, []Asset{bells, night}},
		{AssetFilter{Ungrouped: true}, []Asset{lone}},
		{AssetFilter{Kind: "video"}, []Asset{lone, night}},
		{AssetFilter{Kind: "image"}, nil},
		{AssetFilter{Tag: "URBAN"}, []Asset{bells, night}},
		{AssetFilter{Tag: "old"}, nil},
		{AssetFilter{Query: "cit"}, []Asset{bells, night}},
		{AssetFilter{Query: "NI ci"}, []Asset{night}},
		{AssetFilter{Query: "old"}, []Asset{bells}},
		{AssetFilter{Query: "ity"}, nil},
		{AssetFilter{Query: "bells_of the"}, []Asset{bells}},
		{AssetFilter{Query: "city", Kind: "audio", Tag: "urban", GroupUUID: group.UUID}, []Asset{bells}},
		{AssetFilter{Query: "city", Kind: "audio", Ungrouped: true}, nil},
	} {
		got, n, err := w.Assets(u.UUID, c.f, Page{})
		must(t, err)
		same := slices.EqualFunc(got, c.want, func(a, b Asset) bool { return a.UUID == b.UUID })
		if !same || n != len(c.want) {
			t.Errorf("%+v: %d %v", c.f, n, got)
		}
	}
	for _, f := range []AssetFilter{{}, {Query: "cit"}} {
		got, n, err := w.Assets(u.UUID, f, Page{Number: 2, Size: 1})
		if err != nil || len(got) != 1 || (got[0].UUID != bells.UUID && f == (AssetFilter{})) || n < 2 {
			t.Errorf("page 2: %d %v %v", n, got, err)
		}
	}
	_, _, err := w.Assets(u.UUID, AssetFilter{GroupUUID: theirs.UUID}, Page{})
	wantCode(t, err, Forbidden, "forbidden")
	_, _, err = w.Assets(u.UUID, AssetFilter{GroupUUID: "none"}, Page{})
	wantCode(t, err, NotFound, "not_found")
}

func TestTagCountsIgnoreCase(t *testing.T) {
	t.Parallel()
	w := open(t)
	u, stranger := w.user("ada"), w.user("eve")
	w.confirmed(u, NewAsset{Tags: []string{"urban", "old town"}}, 10)
	w.confirmed(u, NewAsset{Tags: []string{"Urban"}}, 10)
	w.confirmed(stranger, NewAsset{Tags: []string{"theirs"}}, 10)
	w.sent(u, NewAsset{Tags: []string{"not confirmed"}}, 10)
	list, n, err := w.AssetTags(u.UUID, Page{})
	if want := []AssetTag{{"old town", 1}, {"Urban", 2}}; err != nil || n != 2 || !slices.Equal(list, want) {
		t.Errorf("%d %v %v, want %v", n, list, err, want)
	}
	list, n, err = w.AssetTags(u.UUID, Page{Number: 2, Size: 1})
	if err != nil || n != 2 || len(list) != 1 || list[0].Tag != "Urban" {
		t.Errorf("page 2: %d %v %v", n, list, err)
	}
}

func TestAssetsAndGroupsOfOthersAreRefused(t *testing.T) {
	t.Parallel()
	w := open(t)
	u, eve := w.user("ada"), w.user("eve")
	a, b := w.asset(u, AssetResult{Asset: movie(1000)}), w.asset(eve, AssetResult{Asset: movie(1000)})
	g, h := get(w.CreateGroup(u.UUID, Group{Name: "g"}))(t), get(w.CreateGroup(eve.UUID, Group{Name: "h"}))(t)
	p := w.project(u)
	w.ready(p, 10_000)
	placed := get(w.PlaceAsset(u.UUID, p.UUID, manual(0, 10), PlacementChange{AssetFileID: &a.AssetFileID}))(t)
	for name, call := range map[string]func(user, asset, group string) error{
		"Asset":         func(user, asset, _ string) error { _, err := w.Asset(user, asset); return err },
		"PlayableAsset": func(user, asset, _ string) error { _, err := w.PlayableAsset(user, asset); return err },
		"ConfirmAsset":  func(user, asset, _ string) error { _, _, err := w.ConfirmAsset(user, asset); return err },
		"UpdateAsset": func(user, asset, _ string) error {
			_, err := w.UpdateAsset(user, asset, ptr("x"), nil)
			return err
		},
		"EditAsset": func(user, asset, _ string) error {
			_, err := w.EditAsset(user, asset, AssetEdit{})
			return err
		},
		"DeleteAsset": func(user, asset, _ string) error { return w.DeleteAsset(user, asset) },
		"AssetGroups": func(user, asset, _ string) error { _, err := w.AssetGroups(user, asset); return err },
		"AddToGroups": func(user, asset, group string) error {
			_, err := w.AddToGroups(user, asset, group)
			return err
		},
		"RemoveFromGroup": func(user, asset, group string) error { return w.RemoveFromGroup(user, group, asset) },
		"UpdateGroup": func(user, _, group string) error {
			_, err := w.UpdateGroup(user, group, func(*Group) {})
			return err
		},
		"DeleteGroup": func(user, _, group string) error { return w.DeleteGroup(user, group) },
	} {
		wantCode(t, call(eve.UUID, a.UUID, g.UUID), Forbidden, "forbidden")
		wantCode(t, call(eve.UUID, "none", "none"), NotFound, "not_found")
		if strings.Contains(name, "Group") && name != "AssetGroups" {
			wantCode(t, call(u.UUID, a.UUID, h.UUID), Forbidden, "forbidden")
		}
	}
	_, err := w.AddToGroups(u.UUID, a.UUID, g.UUID, h.UUID)
	wantCode(t, err, Forbidden, "forbidden")
	_, err = w.AddToGroups(u.UUID, b.UUID, g.UUID)
	wantCode(t, err, Forbidden, "forbidden")
	wantCode(t, w.RemoveFromGroup(u.UUID, g.UUID, b.UUID), Forbidden, "forbidden")
	wantCode(t, w.RemoveFromGroup(u.UUID, g.UUID, a.UUID), NotFound, "not_found")
	_, err = w.PlaceAsset(u.UUID, p.UUID, manual(0, 10), PlacementChange{AssetFileID: &b.AssetFileID})
	wantCode(t, err, Forbidden, "forbidden")
	_, err = w.PlaceAsset(u.UUID, p.UUID, manual(0, 10), PlacementChange{AssetFileID: ptr("none")})
	wantCode(t, err, NotFound, "not_found")
	_, err = w.PlaceAsset(eve.UUID, p.UUID, manual(0, 10), PlacementChange{AssetFileID: &b.AssetFileID})
	wantCode(t, err, Forbidden, "forbidden")
	_, err = w.UpdateEdit(u.UUID, placed.UUID, EditChange{Placement: PlacementChange{AssetFileID: &b.AssetFileID}})
	wantCode(t, err, Forbidden, "forbidden")
	_, err = w.UpdateEdit(u.UUID, placed.UUID, EditChange{Placement: PlacementChange{AssetFileID: ptr("none")}})
	wantCode(t, err, NotFound, "not_found")
	if n := seen2(w, u) + seen2(w, eve); n != 2 {
		t.Errorf("%d assets", n)
	}
	if in := get(w.AssetGroups(u.UUID, a.UUID))(t); len(in) > 0 {
		t.Errorf("a refused call added the asset to %v", in)
	}
	w.clean()
}

func TestCrashBeforeTheRowOfAnAssetLeavesNoFiles(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	a := w.confirmed(u, NewAsset{}, 10)
	j := w.claim()
	in := get(w.AssetInput(j))(t)
	made, err := w.moveAssetFiles(in, AssetResult{PosterTemp: w.temp(3), ProxyTemp: w.temp(4)})
	must(t, err)
	w.reopen()
	for _, file := range made {
		if _, err := os.Stat(w.FilePath(file.Key)); err == nil {
			t.Errorf("%s still exists", file.Key)
		}
	}
	w.clean()
	wantStale(t, w.FailAsset(j, "late"))
	get(w.FinishAsset(w.claim(), AssetResult{Asset: movie(10), PosterTemp: w.temp(3)}))(t)
	if got := get(w.Asset(u.UUID, a.UUID))(t); got.Status != AssetUploaded {
		t.Errorf("%+v", got)
	}
	w.clean()
}

func wantStale(t *testing.T, err error) {
	t.Helper()
	if fmt.Sprint(err) != ErrStaleJob.Error() {
		t.Errorf("got %v", err)
	}
}

func TestAssetThatCrashesTheServerFails(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	a := w.confirmed(u, NewAsset{}, 10)
	for range maxAttempts {
		w.claim()
		w.reopen()
	}
	if got := get(w.Asset(u.UUID, a.UUID))(t); got.Status != AssetFailed || got.Error != poisonReason ||
		w.used(u) != 0 {
		t.Errorf("%+v", got)
	}
	w.clean()
}

func TestAssetDeletedDuringItsJobLeavesNothing(t *testing.T) {
	t.Parallel()
	w := open(t)
	u := w.user("ada")
	a := w.confirmed(u, NewAsset{}, 10)
	j := w.claim()
	must(t, w.DeleteAsset(u.UUID, a.UUID))
	if gone := get(w.JobCancelled(j))(t); !gone {
		t.Error("the worker got no cancellation")
	}
	_, err := w.FinishAsset(j, AssetResult{Asset: movie(10), PosterTemp: w.temp(3), ProxyTemp: w.temp(4)})
	wantStale(t, err)
	if left := append(w.filesUnder("media"), w.filesUnder("tmp")...); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	w.clean()
}

// numberedTags returns n different tags.
func numberedTags(n int) []string {
	tags := make([]string, n)
	for i := range tags {
		tags[i] = strconv.Itoa(i + 1)
	}
	return tags
}
