package server

import (
	"os"
	"strings"
	"testing"
)

// files returns the addresses of all files by operation. It includes HEAD requests if the contract
// has them.
func (f *full) files() map[string]string {
	project := f.ids["project_uuid"]
	video := f.p.do("GET", "/api/v1/assets/", nil).text("items", 0, "uuid")
	return map[string]string{
		"media": f.p.do("GET", "/api/v1/clips/"+f.ids["clip_uuid"]+"/proxy-url", nil).text("url"),
		"download": f.p.do(
			"GET",
			"/api/v1/exports/"+f.p.do("GET", "/api/v1/projects/"+project+"/exports/", nil).text(
				"items",
				0,
				"uuid",
			)+"/download-url",
			nil,
		).text("url"),
		"asset":  f.p.do("GET", "/api/v1/assets/"+video+"/video-url", nil).text("url"),
		"poster": "/api/v1/assets/" + video + "/poster",
	}
}

func TestFilesSupportRangesAndConditions(t *testing.T) {
	t.Parallel()
	f := newFull(t)
	for name, address := range f.files() {
		for _, method := range []string{"GET", "HEAD"} {
			ask := func(header, value string, status int) *reply {
				t.Helper()
				r := f.p.request(method, address, nil)
				if header != "" {
					r.Header.Set(header, value)
				}
				got := f.w.send(r)
				if got.status != status || (method == "HEAD" && len(got.body) > 0) {
					t.Errorf(
						"%s %s with %s %s: response %d %q, want %d",
						method,
						name,
						header,
						value,
						got.status,
						got.body,
						status,
					)
				}
				return got
			}
			whole := ask("", "", 200)
			tag := whole.header.Get("ETag")
			if tag == "" || whole.header.Get("Accept-Ranges") != "bytes" ||
				whole.header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s %s: headers %v", method, name, whole.header)
			}
			if part := ask("Range", "bytes=0-2", 206); part.header.Get("Content-Length") != "3" ||
				!strings.HasPrefix(part.header.Get("Content-Range"), "bytes 0-2/") {
				t.Errorf("range of %s: headers %v", name, part.header)
			}
			ask("Range", "bytes=900000-", 416)
			ask("If-None-Match", tag, 304)
			ask("If-Match", `"another"`, 412)
			ask("If-Match", tag, 200)
		}
	}
}

func TestMissingFilesAreNotFound(t *testing.T) {
	t.Parallel()
	f := newFull(t)
	addresses := f.files()
	if err := os.RemoveAll(f.w.so.Dir + "/media"); err != nil {
		t.Fatal(err)
	}
	for name, address := range addresses {
		for _, method := range []string{"GET", "HEAD"} {
			if r := f.p.do(method, address, nil); r.status != 404 {
				t.Errorf("%s %s: response %d", method, name, r.status)
			}
		}
	}
}

func clipFile(p *person, clip string) string {
	p.w.t.Helper()
	c, err := p.w.store.Clip(p.user.UUID, clip)
	if err != nil {
		p.w.t.Fatal(err)
	}
	return c.ClipFileID
}
