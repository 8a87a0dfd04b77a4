package desktop

import (
	"slices"
	"testing"
)

func TestLocalFilesOfURIList(t *testing.T) {
	for _, c := range []struct {
		name, list string
		want       []string
	}{
		{"one", "file:///videos/My%20talk.mp4\r\n", []string{"/videos/My talk.mp4"}},
		{"several", "file:///a.mp4\r\nfile:///b.mp4\r\n", []string{"/a.mp4", "/b.mp4"}},
		{"without a final line break", "file:///a.mp4\nfile:///b.mp4", []string{"/a.mp4", "/b.mp4"}},
		{"letters of other scripts", "file:///K%C3%BCche/%E5%BD%95.mp4\r\n", []string{"/Küche/录.mp4"}},
		{"reserved characters", "file:///100%25%20%23%3F.mp4\r\n", []string{"/100% #?.mp4"}},
		{"name with a line break", "file:///a%0Ab.mp4\r\n", []string{"/a\nb.mp4"}},
		{"named host", "file://localhost/a.mp4\r\n", []string{"/a.mp4"}},
		{"another machine", "file://nas/a.mp4\r\n", nil},
		{"links and comments", "# from a browser\r\nhttps://example.org/a.mp4\r\nfile:///a.mp4\r\nsmb://nas/b.mp4\r\n", []string{"/a.mp4"}},
		{"invalid", "file:///%zz\r\nfile:\r\n\r\n\x00", nil},
		{"empty", "", nil},
	} {
		if got := localFiles(c.list); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
