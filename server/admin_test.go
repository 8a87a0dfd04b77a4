package server

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"roughcut/media"
	"roughcut/pipeline/models"
	"roughcut/server/mail"
	"roughcut/store"
)

func TestAdminManagesAccounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin := w.person("admin")
	w.clock.Advance(time.Second)
	user := w.person("user")
	at := "/api/v1/admin/users/"
	if got := admin.do("GET", "/api/v1/admin/users?page_size=1", nil).want(
		200,
		"",
	); got.text("total") != "2" || got.text("items", 0, "user", "username") != "user" ||
		got.text("items", 0, "tier") != "creator" {
		t.Errorf("list %s", got.body)
	}
	if got := admin.do("GET", "/api/v1/admin/users?q=ADMIN@", nil).want(200, ""); got.text("total") != "1" ||
		got.text("items", 0, "user", "uuid") != admin.user.UUID {
		t.Errorf("search result %s", got.body)
	}
	if got := admin.do("PATCH", at+user.user.UUID, map[string]any{"tier": "viral"}).want(
		200,
		"",
	); got.text("tier") != "viral" || got.text("subscription_status") != "active" ||
		got.text("user", "is_admin") != "false" {
		t.Errorf("after the grant: %s", got.body)
	}
	if got := user.do("GET", "/api/v1/payments/subscription/status", nil).want(200, ""); got.text("tier") != "viral" {
		t.Errorf("the user sees %s", got.body)
	}
	admin.do("PATCH", at+user.user.UUID, map[string]any{"tier": "gold"}).want(422, "unprocessable")
	admin.do("PATCH", at+admin.user.UUID, map[string]any{"is_admin": false, "tier": "free"}).want(409, "last_admin")
	admin.do("DELETE", at+admin.user.UUID, nil).want(409, "conflict")
	user.do("GET", at+user.user.UUID, nil).want(403, "forbidden")
	admin.do("PATCH", at+user.user.UUID, map[string]any{"is_admin": true}).want(200, "")
	user.do("GET", at+admin.user.UUID, nil).want(200, "")
	user.do("PATCH", at+admin.user.UUID, map[string]any{"is_admin": false}).want(200, "")
	admin.do("GET", at, nil).want(403, "forbidden")
	user.do("DELETE", at+admin.user.UUID, nil).want(204, "")
	user.do("GET", at+admin.user.UUID, nil).want(404, "not_found")
	admin.do("GET", "/api/v1/users/me", nil).want(401, "not_authenticated")
}

func TestAdminReadsOutbox(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	admin := w.person("admin")
	if got := admin.do("GET", "/api/v1/admin/outbox", nil).want(200, ""); got.text("total") != "0" {
		t.Errorf("empty outbox: %s", got.body)
	}
	box := w.server.Mail.(mail.Outbox)
	for i := range 3 {
		m := mail.Message{
			ID:      w.store.NewID(),
			To:      fmt.Sprintf("p%d@example.com", i),
			Subject: fmt.Sprintf("Mail %d", i),
			Text:    "a link",
			HTML:    "<p>a link</p>",
			Date:    w.store.Now().Add(time.Duration(i) * time.Minute),
		}
		if err := box.Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	list := admin.do("GET", "/api/v1/admin/outbox?page_size=2", nil).want(200, "")
	if list.text("total") != "3" || list.text("items", 0, "subject") != "Mail 2" ||
		list.text("items", 1, "to") != "p1@example.com" {
		t.Errorf("outbox %s", list.body)
	}
	read := admin.do("GET", "/api/v1/admin/outbox/"+list.text("items", 0, "name"), nil).want(200, "")
	if strings.TrimSpace(read.text("text")) != "a link" || !strings.Contains(read.text("html"), "<p>") {
		t.Errorf("mail %s", read.body)
	}
	for _, name := range []string{"none.eml", "..%2F..%2Froughcut.db", "%2Fetc%2Fpasswd"} {
		admin.do("GET", "/api/v1/admin/outbox/"+name, nil).want(404, "not_found")
	}
	if err := w.store.QueueMails(
		store.Mail{To: "p@example.com", Subject: "Reset your password", Text: "token=secret"},
	); err != nil {
		t.Fatal(err)
	}
	queued := admin.do("GET", "/api/v1/admin/mails", nil).want(200, "")
	if queued.text("total") != "1" || queued.text("items", 0, "to") != "p@example.com" ||
		strings.Contains(string(queued.body), "secret") {
		t.Errorf("queue %s", queued.body)
	}
}

func TestAdminSeesStorageAndState(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options, _ *store.Options) {
		o.Workers, o.Components = 3, []Component{{"roughcut", "1.2.3"}}
		o.Encoder = func() media.EncoderChoice {
			return media.EncoderChoice{Wanted: "auto", Name: "vaapi", Tests: []media.EncoderTest{
				{Name: "nvenc", Fault: "no driver"}, {Name: "vaapi"},
			}}
		}
		o.Ready = func() error { return errors.New("not yet") }
	})
	admin, user := w.person("admin"), w.person("user")
	project := user.project("Talk")
	user.readyClip(project)
	clip, _ := user.upload(project, []byte("waits"))
	user.do("POST", "/api/v1/projects/"+project+"/clips/"+clip+"/confirm", nil).want(202, "")
	user.resumable(project, 9).patch(0, "abc").want(204, "")
	got := admin.do("GET", "/api/v1/admin/storage", nil).want(200, "")
	for field, want := range map[string]string{
		"original_bytes": "25", "export_bytes": "0", "upload_bytes": "3", "disk_reserve_bytes": "1", "total": "2",
	} {
		if got.text(field) != want {
			t.Errorf("%s is %s, want %s", field, got.text(field), want)
		}
	}
	if got.text("items", 0, "username") != "user" || got.text("items", 0, "storage_used_bytes") != "25" ||
		got.text("items", 1, "file_bytes") != "0" {
		t.Errorf("accounts %s", got.body)
	}
	w.eventually("the index is built", func() bool {
		return admin.do("GET", "/api/v1/admin/system", nil).want(200, "").text("search_index") == "ready"
	})
	state := admin.do("GET", "/api/v1/admin/system", nil).want(200, "")
	if state.text("jobs", 0, "queued") != "1" || state.text("jobs", 1, "queued") != "0" ||
		state.text("oldest_queued_at") == "" || state.text("ready") != "false" ||
		state.text("workers") != "3" ||
		state.text("components", 0, "version") != "1.2.3" ||
		state.text("encoder", "name") != "vaapi" || state.text("encoder", "tests", 0, "fault") != "no driver" ||
		state.text("users") != "2" ||
		state.text("projects") != "1" {
		t.Errorf("state %s", state.body)
	}
	w.claim(store.JobClip)
	if state = admin.do("GET", "/api/v1/admin/system", nil).want(
		200,
		"",
	); state.text("jobs", 0, "running") != "1" ||
		state.text("oldest_queued_at") != "" {
		t.Errorf("state %s", state.body)
	}
}

func TestAdminDownloadsModel(t *testing.T) {
	t.Parallel()
	data := bytes.Repeat([]byte("model "), 50_000)
	sum := sha256.Sum256(data)
	hold := make(chan struct{})
	mirror := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Range") == "" {
			rw.Header().Set("Content-Length", fmt.Sprint(len(data)))
			_, _ = rw.Write(data[:1000])
			rw.(http.Flusher).Flush()
			<-r.Context().Done()
			return
		}
		<-hold
		http.ServeContent(rw, r, "", time.Time{}, bytes.NewReader(data))
	}))
	defer mirror.Close()
	w := newWorld(t, func(o *Options, so *store.Options) {
		dir := filepath.Join(so.Dir, "models")
		o.Models = models.New(models.Options{
			Dir:    dir,
			URL:    mirror.URL,
			Known:  []models.Model{{Name: "tiny.en", SizeBytes: int64(len(data)), SHA256: hex.EncodeToString(sum[:])}},
			Check:  func(string) (bool, error) { return true, nil },
			Free:   func(int64) error { return nil },
			Client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		})
		o.ActiveModel = func() (string, error) {
			path := filepath.Join(dir, "ggml-tiny.en.bin")
			if _, err := os.Stat(path); err == nil {
				return path, nil
			}
			return "", nil
		}
	})
	admin, user := w.person("admin"), w.person("user")
	state := func(who *person) *reply { return who.do("GET", "/api/v1/models", nil).want(200, "") }
	if got := state(user); got.text("items", 0, "installed") != "false" || got.value("items", 0, "download") != nil {
		t.Errorf("models %s", got.body)
	}
	at := "/api/v1/models/tiny.en/download"
	user.do("POST", at, nil).want(403, "forbidden")
	admin.do("POST", "/api/v1/models/huge/download", nil).want(404, "not_found")
	admin.do("DELETE", "/api/v1/models/huge/download", nil).want(404, "not_found")
	admin.do("DELETE", at, nil).want(409, "conflict")
	if got := admin.do("POST", at, nil).want(202, ""); got.text("download", "status") != "loading" {
		t.Errorf("download %s", got.body)
	}
	w.eventually(
		"the first bytes arrive",
		func() bool { return state(user).text("items", 0, "download", "received_bytes") == "1000" },
	)
	admin.do("POST", at, nil).want(202, "")
	admin.do("DELETE", at, nil).want(204, "")
	w.eventually(
		"the download stops",
		func() bool { return state(user).text("items", 0, "download", "status") == "stopped" },
	)
	whole := "/api/v1/models/tiny.en"
	user.do("DELETE", whole, nil).want(403, "forbidden")
	admin.do("DELETE", "/api/v1/models/huge", nil).want(404, "not_found")
	admin.do("POST", at, nil).want(202, "")
	admin.do("DELETE", whole, nil).want(409, "conflict")
	close(hold)
	w.eventually("the model is installed", func() bool { return state(user).text("items", 0, "installed") == "true" })
	if got := state(user); got.text("items", 0, "active") != "true" || got.text("items", 0, "multilingual") != "false" {
		t.Errorf("models %s", got.body)
	}
	admin.do("POST", at, nil).want(409, "conflict")
	if got := admin.do("GET", "/api/v1/admin/storage", nil).want(
		200,
		"",
	); got.text("model_bytes") != fmt.Sprint(len(data)) {
		t.Errorf("storage %s", got.body)
	}
	admin.do("DELETE", whole, nil).want(204, "")
	if got := state(
		user,
	); got.text("items", 0, "installed") != "false" || got.text("items", 0, "active") != "false" ||
		got.value("items", 0, "download") != nil {
		t.Errorf("models after the deletion: %s", got.body)
	}
	admin.do("DELETE", whole, nil).want(409, "conflict")
}

func TestModelOutsideModelsFolderIsListed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ggml-mine.bin")
	if err := os.WriteFile(path, []byte("model"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, func(o *Options, _ *store.Options) { o.ActiveModel = func() (string, error) { return path, nil } })
	admin := w.person("admin")
	if got := admin.do("GET", "/api/v1/models", nil).want(
		200,
		"",
	); got.text("total") != "1" || got.text("items", 0, "name") != "mine" || got.text("items", 0, "active") != "true" ||
		got.text("items", 0, "size_bytes") != "5" {
		t.Errorf("models %s", got.body)
	}
	admin.do("DELETE", "/api/v1/models/mine", nil).want(404, "not_found")
}

// An invalid change of an account changes nothing.
func TestAccountChangeIsAtomic(t *testing.T) {
	t.Parallel()
	w := newWorld(t, onRequest)
	admin := w.person("admin")
	at := "/api/v1/admin/users/" + admin.user.UUID
	admin.do("PATCH", at, map[string]any{"tier": "viral", "is_admin": false}).want(409, "last_admin")
	admin.do("GET", at, nil).want(200, "").shows(map[string]any{"tier": "free", "user.is_admin": true})
	admin.do("PATCH", at, map[string]any{"tier": "viral", "is_admin": true}).want(
		200,
		"",
	).shows(map[string]any{"tier": "viral", "user.is_admin": true})
}

// Admins choose among the installed models. The choice survives a restart, ends with its model, and
// gives way to SPEECH_MODEL.
func TestAdminChoosesModel(t *testing.T) {
	t.Parallel()
	var dir string
	w := newWorld(t, func(o *Options, so *store.Options) {
		dir = filepath.Join(so.Dir, "models")
		o.Models = models.New(models.Options{
			Dir:   dir,
			Known: []models.Model{{Name: "big", SizeBytes: 3}, {Name: "absent", SizeBytes: 9}},
			Check: func(string) (bool, error) { return true, nil },
		})
	})
	for file, data := range map[string]string{"ggml-big.bin": "big", "own.bin": "it"} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	admin, user := w.person("admin"), w.person("user")
	chosen := func(want ...string) {
		t.Helper()
		list := user.do("GET", "/api/v1/models", nil).want(200, "")
		var got []string
		for i := range len(list.value("items").([]any)) {
			if list.text("items", i, "chosen") == "true" {
				got = append(got, list.text("items", i, "name"))
			}
		}
		if !slices.Equal(got, want) || list.text("is_set") != fmt.Sprint(w.o.ModelPinned) {
			t.Errorf("chosen models %q, want %q: %s", got, want, list.body)
		}
	}
	at := func(name string) string { return "/api/v1/models/" + name + "/choice" }
	chosen()
	user.do("PUT", at("own"), nil).want(403, "forbidden")
	user.do("DELETE", at("own"), nil).want(403, "forbidden")
	admin.do("PUT", at("nonesuch"), nil).want(404, "not_found")
	admin.do("DELETE", at("nonesuch"), nil).want(404, "not_found")
	admin.do("PUT", at("..%2Froughcut.db"), nil).want(404, "not_found")
	admin.do("PUT", at("absent"), nil).want(409, "conflict")
	chosen()
	if got := admin.do("PUT", at("own"), nil).want(200, ""); got.text("name") != "own" || got.text("chosen") != "true" {
		t.Errorf("model %s", got.body)
	}
	chosen("own")
	w.restart(func(*store.Options) {})
	chosen("own")
	admin.do("DELETE", at("big"), nil).want(204, "")
	chosen("own")
	admin.do("PUT", at("big"), nil).want(200, "")
	chosen("big")
	admin.do("DELETE", "/api/v1/models/own", nil).want(204, "")
	chosen("big")
	admin.do("DELETE", at("big"), nil).want(204, "")
	chosen()
	admin.do("PUT", at("big"), nil).want(200, "")
	w.o.ActiveModel, w.o.ModelPinned = func() (string, error) { return filepath.Join(dir, "ggml-big.bin"), nil }, true
	w.restart(func(*store.Options) {})
	chosen("big")
	admin.do("PUT", at("big"), nil).want(409, "conflict")
	admin.do("DELETE", "/api/v1/models/big", nil).want(409, "conflict")
	w.o.ModelPinned = false
	w.restart(func(*store.Options) {})
	admin.do("DELETE", "/api/v1/models/big", nil).want(204, "")
	if file, err := w.store.SpeechModel(); file != "" || err != nil {
		t.Errorf("the deleted model is still chosen: %q, %v", file, err)
	}
}
