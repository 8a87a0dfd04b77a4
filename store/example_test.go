package store_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"roughcut/store"
	"roughcut/store/account"
)

// A program opens the data directory, creates an account and a project, uploads an asset, and finds
// the asset by a word of its name.
func Example() {
	dir, err := os.MkdirTemp("", "roughcut-example-")
	check(err)
	defer os.RemoveAll(dir)

	s, err := store.Open(context.Background(), store.Options{Dir: dir, MinFreeBytes: 1})
	check(err)
	defer s.Close()

	user, err := s.CreateUser(account.User{Name: "Ada", Username: "ada", Email: "ada@example.org"})
	check(err)
	project, err := s.CreateProject(user.UUID, "My first talk", nil)
	check(err)
	fmt.Println(project.Name, "is", project.Status)

	content := []byte("stands for the bytes of an image")
	asset, err := s.PresignAsset(user.UUID, store.NewAsset{
		DisplayName: "Company logo",
		ContentType: "image/png",
		SizeBytes:   int64(len(content)),
	})
	check(err)
	upload, err := s.OpenUpload(asset.AssetFileID)
	check(err)
	_, err = upload.Write(content)
	check(err)
	check(upload.Commit())
	_, _, err = s.ConfirmAsset(user.UUID, asset.UUID)
	check(err)

	waitForIndex(s)
	hits, total, err := s.Search(user.UUID, "logo", store.HitAsset, store.Page{Number: 1, Size: 10})
	check(err)
	fmt.Println(total, "hit:", hits[0].Fragment)
	// Output:
	// My first talk is created
	// 1 hit: Company <mark>logo</mark>
}

// waitForIndex returns when the search index has all changes, which takes milliseconds.
func waitForIndex(s *store.Store) {
	for range time.Tick(time.Millisecond) {
		state, err := s.IndexState()
		check(err)
		if state == store.IndexReady {
			return
		}
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
