package pipeline_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/store"
)

// lookWell returns a video with one millisecond for each byte of the file, and writes a poster.
func lookWell(_ context.Context, r media.AssetRequest) (media.Asset, error) {
	st, err := os.Stat(r.Path)
	if err != nil {
		return media.Asset{}, err
	}
	found := info
	found.DurationMS = st.Size()
	return media.Asset{
		Info:        found,
		Kind:        media.KindVideo,
		ContentType: "video/mp4",
		SizeBytes:   st.Size(),
	}, os.WriteFile(r.PosterPath, []byte("poster"), 0o600)
}

// trimWell removes one byte of the file for each millisecond that the request removes.
func trimWell(_ context.Context, r media.TrimRequest) error {
	data, err := os.ReadFile(r.Path)
	if err != nil {
		return err
	}
	kept := media.KeptSpans(int64(len(data)), media.MergeSpans(r.RemovedSpans(int64(len(data)))))
	var out []byte
	for _, span := range kept {
		out = append(out, data[span.StartMS:span.EndMS]...)
	}
	return os.WriteFile(r.OutPath, out, 0o600)
}

const assetText = "0123456789"

// addAsset adds a confirmed asset to the library.
func (w *world) addAsset() store.Asset {
	w.t.Helper()
	asset, err := w.store.PresignAsset(
		w.user.UUID,
		store.NewAsset{FileName: "city.mp4", ContentType: "video/mp4", SizeBytes: 10},
	)
	if err != nil {
		w.t.Fatal(err)
	}
	up, err := w.store.OpenUpload(asset.AssetFileID)
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := up.Write([]byte(assetText)); err != nil {
		w.t.Fatal(err)
	}
	if err := up.Commit(); err != nil {
		w.t.Fatal(err)
	}
	asset, _, err = w.store.ConfirmAsset(w.user.UUID, asset.UUID)
	if err != nil {
		w.t.Fatal(err)
	}
	return asset
}

// settled waits until an asset is no longer pending.
func (w *world) settled(uuid string) store.Asset {
	w.t.Helper()
	late := time.After(patience)
	for {
		asset, err := w.store.Asset(w.user.UUID, uuid)
		if err != nil {
			w.t.Fatal(err)
		}
		if asset.Status != store.AssetPending {
			return asset
		}
		select {
		case <-w.ended:
		case <-late:
			w.t.Fatalf("still pending: %+v", asset)
		}
	}
}

// edit trims an asset and returns the UUID of the copy.
func (w *world) edit(uuid string, e store.AssetEdit) string {
	w.t.Helper()
	copied, err := w.store.EditAsset(w.user.UUID, uuid, e)
	if err != nil {
		w.t.Fatal(err)
	}
	return copied
}

// holds returns the content of an asset's file.
func (w *world) holds(a store.Asset) string {
	w.t.Helper()
	data, err := os.ReadFile(w.store.FilePath(a.FileKey()))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

func ms(n int64) *int64 { return &n }

func TestAssetsAreReadTrimmedAndReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run()
	a := w.settled(w.addAsset().UUID)
	if a.Status != store.AssetUploaded || *a.DurationMS != 10 || a.PosterKey() == "" || a.ProxyKey() != "" {
		t.Fatalf("%+v", a)
	}
	copied := w.settled(
		w.edit(a.UUID, store.AssetEdit{StartMS: ms(2), EndMS: ms(8), Cuts: []media.Span{{StartMS: 4, EndMS: 5}}}),
	)
	if got := w.holds(copied); got != "23567" || *copied.DurationMS != 5 || copied.SizeBytes != 5 ||
		w.holds(a) != assetText {
		t.Errorf("the copy holds %q, the asset %q: %+v", got, w.holds(a), copied)
	}
	w.edit(a.UUID, store.AssetEdit{StartMS: ms(7), Replace: true})
	replaced := w.settled(a.UUID)
	if got := w.holds(
		replaced,
	); got != "789" || *replaced.DurationMS != 3 || replaced.AssetFileID != a.AssetFileID ||
		replaced.PosterKey() == a.PosterKey() {
		t.Errorf("the asset holds %q: %+v", got, replaced)
	}
	w.shutdown() // the old file goes after the commit
	if _, err := os.Stat(w.store.FilePath(a.FileKey())); err == nil {
		t.Error("the old file is still there")
	}
}

// A trim can be requested before the properties of the upload are known. Bounds past the end are
// then clamped.
func TestAssetCanBeTrimmedBeforeItIsRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.addAsset(), w.addAsset()
	copied := w.edit(a.UUID, store.AssetEdit{EndMS: ms(400)})
	w.edit(b.UUID, store.AssetEdit{StartMS: ms(4), EndMS: ms(500), Replace: true})
	w.run()
	if got := w.holds(w.settled(copied)); got != assetText {
		t.Errorf("the copy holds %q", got)
	}
	if got := w.holds(w.settled(b.UUID)); got != "456789" {
		t.Errorf("the asset holds %q", got)
	}
	if got := w.settled(a.UUID); got.Status != store.AssetUploaded || w.holds(got) != assetText {
		t.Errorf("%+v", got)
	}
}

func TestFailedAssetsRecordTheReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.engine.look = func(context.Context, media.AssetRequest) (media.Asset, error) {
		return media.Asset{}, errors.Join(errors.New("probing"), fileFault{})
	}
	w.run()
	if a := w.settled(w.addAsset().UUID); a.Status != store.AssetFailed || a.Error != "This recording is cut off." {
		t.Errorf("%+v", a)
	}
	w.engine.look = lookWell
	a := w.settled(w.addAsset().UUID)
	w.engine.trim = func(_ context.Context, r media.TrimRequest) error {
		return errors.Join(os.WriteFile(r.OutPath, []byte("half"), 0o600), fileFault{})
	}
	w.edit(a.UUID, store.AssetEdit{StartMS: ms(3), Replace: true})
	kept := w.settled(a.UUID)
	if kept.Status != store.AssetUploaded || !strings.Contains(kept.Error, "This recording is cut off.") ||
		w.holds(kept) != assetText ||
		*kept.DurationMS != 10 {
		t.Errorf("%+v", kept)
	}
	if failed := w.settled(
		w.edit(a.UUID, store.AssetEdit{StartMS: ms(3)}),
	); failed.Status != store.AssetFailed ||
		!strings.Contains(failed.Error, "This recording is cut off.") {
		t.Errorf("%+v", failed)
	}
	w.shutdown()
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(w.store.FilePath(".")), "tmp", "*")); err != nil ||
		len(left) > 0 {
		t.Errorf("temporary files remain: %v %v", left, err)
	}
}

func TestDeletingAnAssetStopsItsJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	looking, stopped := make(chan struct{}), make(chan struct{})
	w.engine.look = func(ctx context.Context, _ media.AssetRequest) (media.Asset, error) {
		close(looking)
		<-ctx.Done()
		close(stopped)
		return media.Asset{}, ctx.Err()
	}
	w.run()
	a := w.addAsset()
	<-looking
	if err := w.store.DeleteAsset(w.user.UUID, a.UUID); err != nil {
		t.Fatal(err)
	}
	<-stopped
}
