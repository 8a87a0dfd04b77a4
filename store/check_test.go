package store

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/blevesearch/bleve/v2"
	bolt "go.etcd.io/bbolt"

	"roughcut/media"
	"roughcut/store/account"
	"roughcut/store/billing"
	"roughcut/store/search"
	"roughcut/store/table"
)

// scene is a data directory with rows of every kind and a running analysis.
type scene struct {
	*world
	user   account.User
	clip   Clip
	run    Run
	busy   Run
	export Export
}

func newScene(t *testing.T) *scene {
	w := open(t)
	s := &scene{world: w, user: w.user("ada")}
	p := w.project(s.user)
	s.clip = w.ready(p, 60_000)
	s.run = w.analyzed(
		p,
		AnalysisResult{
			Transcripts: []ClipTranscript{speech(s.clip.UUID, "hello")},
			Edits:       []DetectedEdit{silence(s.clip.UUID, 0, 10)},
		},
	)
	s.export = get(w.CreateExport(s.user.UUID, p.UUID, NewExport{}))(t)
	get(w.FinishExport(w.claim(), w.temp(10), media.RenderResult{}))(t)
	s.busy = get(w.StartAnalysis(s.user.UUID, p.UUID, AnalysisSettings{}))(t)
	s.change(func(tx *txn) error {
		for range 40 { // so that the bucket gets separate pages
			id := s.NewID()
			if _, err := tx.addUser(account.User{Username: id, Email: id}); err != nil {
				return err
			}
		}
		return nil
	})
	w.settled()
	w.clean()
	return s
}

func (s *scene) change(fn func(tx *txn) error) {
	s.t.Helper()
	must(s.t, s.update(fn))
}

// ledgerFaults break counts, reservations and jobs. The key is the code of the expected finding.
func ledgerFaults() map[string]func(s *scene) {
	return map[string]func(s *scene){
		"storage_count": func(s *scene) {
			s.change(func(tx *txn) error { return tx.registry().AddStorage(s.user.UUID, 1, 0) })
		},
		"generated_count": func(s *scene) {
			s.change(func(tx *txn) error { return tx.registry().AddStorage(s.user.UUID, 0, 1) })
		},
		"credit_sum": func(s *scene) {
			s.change(func(tx *txn) error {
				return tx.patch("accounts", s.user.UUID, func(row map[string]any) {
					pool := row["Plan"].(map[string]any)
					pool["Balance"] = pool["Balance"].(float64) + 1
				})
			})
		},
		"credit_reservations": func(s *scene) {
			s.change(func(tx *txn) error { return tx.Bucket([]byte("reservations")).Delete([]byte(s.busy.UUID)) })
		},
		"open_reservation": func(s *scene) {
			s.change(
				func(tx *txn) error { return tx.changeRun(s.busy.UUID, func(r *runRow) { r.Status = StatusFailed }) },
			)
		},
		"reservation_state": func(s *scene) {
			s.change(
				func(tx *txn) error { return tx.changeRun(s.run.UUID, func(r *runRow) { r.Status = StatusFailed }) },
			)
		},
		"job_lease": func(s *scene) {
			s.change(func(tx *txn) error {
				j, err := jobs.Lookup(tx, jobsBySubject, s.busy.UUID)
				must(s.t, err)
				j.State = jobRunning
				return jobs.Put(tx, j)
			})
		},
		"job_subject": func(s *scene) {
			s.change(func(tx *txn) error { return tx.cancelJob(s.busy.UUID) })
		},
	}
}

// moneyFaults break payments and their purposes.
func moneyFaults() map[string]func(s *scene) {
	change := func(bucket string, change func(row map[string]any)) func(s *scene) {
		return func(s *scene) {
			p := s.upgrade(s.user, 1)
			keys := map[string]string{"payments": p.UUID, "accounts": s.user.UUID}
			s.change(func(tx *txn) error { return tx.patch(bucket, keys[bucket], change) })
		}
	}
	return map[string]func(s *scene){
		"payment_open":   change("payments", func(p map[string]any) { p["State"] = billing.PaymentOpen }),
		"payment_amount": change("payments", func(p map[string]any) { p["AmountCents"] = 1 }),
		"invoice_sum": change("payments", func(p map[string]any) {
			p["AmountCents"], p["PriceCents"] = p["AmountCents"].(float64)+1, p["PriceCents"].(float64)+1
		}),
		"plan_state": change("accounts", func(a map[string]any) { a["Status"] = "canceled" }),
	}
}

// patch changes a stored row past its table.
func (t *txn) patch(bucket, key string, change func(row map[string]any)) error {
	var row map[string]any
	b := t.Bucket([]byte(bucket))
	if err := json.Unmarshal(b.Get([]byte(key)), &row); err != nil {
		return err
	}
	change(row)
	value, err := json.Marshal(row)
	if err != nil {
		return err
	}
	return b.Put([]byte(key), value)
}

// rowFaults break references between rows.
func rowFaults() map[string]func(s *scene) {
	return map[string]func(s *scene){
		"index_count": func(s *scene) {
			s.change(func(tx *txn) error {
				return tx.Bucket([]byte(table.CountsBucket)).Put(
					table.Key(projectsByUser.Name, "nobody"),
					table.Key(uint64(1)),
				)
			})
		},
		"row_bytes": func(s *scene) {
			s.change(func(tx *txn) error {
				return tx.Bucket([]byte(table.CountsBucket)).Put(
					table.Key(draftContents.Name, "nobody"),
					table.Key(uint64(1)),
				)
			})
		},
		"draft": func(s *scene) {
			s.change(func(tx *txn) error {
				return draftContents.Put(tx, &draftContent{DraftUUID: "lost", ProjectUUID: s.clip.ProjectUUID})
			})
		},
		"clip_count": func(s *scene) {
			s.change(func(tx *txn) error {
				return tx.changeProject(s.clip.ProjectUUID, func(p *projectRow) { p.ClipCount++ })
			})
		},
		"project_duration": func(s *scene) {
			s.change(func(tx *txn) error {
				return tx.changeProject(s.clip.ProjectUUID, func(p *projectRow) { p.DurationMS = nil })
			})
		},
		"active_run": func(s *scene) {
			s.change(func(tx *txn) error {
				return tx.changeProject(s.clip.ProjectUUID, func(p *projectRow) { p.ActiveRunUUID = s.busy.UUID })
			})
		},
		"project_status": func(s *scene) {
			s.change(func(tx *txn) error {
				return tx.changeProject(s.clip.ProjectUUID, func(p *projectRow) { p.Status = ProjectCreated })
			})
		},
		"file_owner": func(s *scene) {
			s.change(func(tx *txn) error { return clips.Delete(tx, s.clip.UUID) })
		},
		"clip_file": func(s *scene) {
			s.change(func(tx *txn) error { return files.Delete(tx, clipKey(s.clip.ClipFileID, fileOriginal)) })
		},
		"import": func(s *scene) {
			s.change(func(tx *txn) error {
				row, err := clips.Get(tx, s.clip.UUID)
				must(s.t, err)
				row.ImportURL = "https://example.org/talk.mp4"
				return clips.Put(tx, row)
			})
		},
		"edit_anchor": func(s *scene) {
			s.change(func(tx *txn) error {
				return edits.Put(
					tx,
					&editRow{Edit: Edit{UUID: "e", ProjectUUID: s.clip.ProjectUUID}, Start: anchor{Clip: "gone"}},
				)
			})
		},
		"short_anchor": func(s *scene) {
			s.change(func(tx *txn) error {
				part := anchoredSpan{anchor{"gone", 0}, anchor{"gone", 5}}
				short := Short{UUID: "s", ProjectUUID: s.clip.ProjectUUID}
				return shorts.Put(tx, &shortRow{Short: short, Parts: []anchoredSpan{part}})
			})
		},
		"export_file": func(s *scene) {
			s.change(func(tx *txn) error {
				return tx.changeExport(s.export.UUID, func(r *exportRow) { r.Status = StatusFailed })
			})
		},
		"owner_gone": func(s *scene) {
			s.change(func(tx *txn) error { return tx.Bucket([]byte("users")).Delete([]byte(s.user.UUID)) })
		},
		"plan_gone": func(s *scene) {
			s.change(func(tx *txn) error { return tx.Bucket([]byte("accounts")).Delete([]byte(s.user.UUID)) })
		},
		"index_entry": func(s *scene) {
			s.change(
				func(tx *txn) error {
					return tx.Bucket([]byte(editsByProject.Name)).Put(table.Key("p", "e"), []byte("e"))
				},
			)
		},
	}
}

// libraryFaults break rows of assets.
func libraryFaults() map[string]func(s *scene) {
	return map[string]func(s *scene){
		"asset_file": func(s *scene) {
			a := s.asset(s.user, AssetResult{Asset: movie(1000)})
			s.change(func(tx *txn) error { return files.Delete(tx, a.FileKey()) })
		},
		"asset_source": func(s *scene) {
			a := s.asset(s.user, AssetResult{Asset: movie(1000)})
			get(s.EditAsset(s.user.UUID, a.UUID, AssetEdit{}))(s.t)
			s.change(func(tx *txn) error { return assets.Delete(tx, a.UUID) })
		},
		"edit_asset": func(s *scene) {
			a := s.asset(s.user, AssetResult{Asset: movie(1000)})
			get(
				s.PlaceAsset(
					s.user.UUID,
					s.clip.ProjectUUID,
					manual(0, 10),
					PlacementChange{AssetFileID: &a.AssetFileID},
				),
			)(s.t)
			s.change(func(tx *txn) error { return assets.Delete(tx, a.UUID) })
		},
		"export_asset": func(s *scene) {
			a := s.asset(s.user, AssetResult{Asset: movie(1000)})
			get(
				s.PlaceAsset(
					s.user.UUID,
					s.clip.ProjectUUID,
					manual(0, 10),
					PlacementChange{AssetFileID: &a.AssetFileID},
				),
			)(s.t)
			get(s.CreateExport(s.user.UUID, s.clip.ProjectUUID, NewExport{}))(s.t)
			s.change(func(tx *txn) error { return files.Delete(tx, a.FileKey()) })
		},
		"kept_file": func(s *scene) {
			s.change(func(tx *txn) error {
				return files.Put(
					tx,
					&fileRow{Key: assetKey("gone", assetOriginal, 1), Owner: s.export.UUID, UserUUID: s.user.UUID},
				)
			})
		},
		"membership": func(s *scene) {
			g := get(s.CreateGroup(s.user.UUID, Group{Name: "g", IsDefault: true}))(s.t)
			s.asset(s.user, AssetResult{Asset: movie(1000)})
			s.change(func(tx *txn) error { return groups.Delete(tx, g.UUID) })
		},
		"default_groups": func(s *scene) {
			for _, id := range []string{"a", "b"} {
				s.change(func(tx *txn) error {
					return groups.Put(tx, &groupRow{Group: Group{UUID: id, UserUUID: s.user.UUID, IsDefault: true}})
				})
			}
		},
	}
}

// diskFaults break files, the index and the database.
func diskFaults() map[string]func(s *scene) {
	return map[string]func(s *scene){
		"missing_file": func(s *scene) { must(s.t, os.Remove(s.FilePath(s.clip.ProxyKey()))) },
		"wrong_size":   func(s *scene) { must(s.t, os.Truncate(s.FilePath(s.clip.ProxyKey()), 1)) },
		"orphan_file": func(s *scene) {
			must(s.t, os.WriteFile(filepath.Join(s.opts.Dir, "media", "clips", "stray"), nil, 0o600))
		},
		"index": func(s *scene) {
			s.settled()
			must(s.t, s.Close())
			ix := get(bleve.Open(s.indexPath()))(s.t)
			window := search.Window{Project: s.clip.ProjectUUID, Run: s.run.UUID, Clip: s.clip.UUID}
			must(s.t, ix.Delete(search.ID{Window: window}.Key()))
			must(s.t, ix.Close())
			s.start()
			s.settled()
		},
		"damaged_page": func(s *scene) {
			must(s.t, s.db.Update(func(tx *bolt.Tx) error {
				// a write, so that the damaged page is not the page that was written last
				return tx.Bucket([]byte(bucketMeta)).SetSequence(1)
			}))
			var page int64
			must(
				s.t,
				s.db.View(func(tx *bolt.Tx) error { page = int64(tx.Bucket([]byte("users")).Root()); return nil }),
			)
			if page == 0 {
				s.t.Fatal("the bucket has no separate page to damage")
			}
			f := get(os.OpenFile(s.db.Path(), os.O_RDWR, 0))(s.t)
			defer f.Close()
			get(f.WriteAt([]byte{0xff, 0xff}, page*int64(s.db.Info().PageSize)+8))(s.t) // the flags of the page
		},
	}
}

// TestCheckFindsEachFault breaks one invariant at a time.
func TestCheckFindsEachFault(t *testing.T) {
	t.Parallel()
	for _, faults := range []map[string]func(s *scene){
		ledgerFaults(),
		moneyFaults(),
		rowFaults(),
		libraryFaults(),
		diskFaults(),
	} {
		for code, spoil := range faults {
			t.Run(code, func(t *testing.T) {
				s := newScene(t)
				spoil(s)
				found, err := s.Check(context.Background())
				must(t, err)
				if !slices.ContainsFunc(found, func(f Finding) bool { return f.Code == code && f.Message != "" }) {
					t.Errorf("found %+v", found)
				}
			})
		}
	}
}
