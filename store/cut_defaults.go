package store

import (
	"math"
	"time"

	"roughcut/media"
	"roughcut/store/table"
)

// Bounds of what an account learns from its decisions. See tally.activeFrom.
const (
	learnDecisions = 20  // a type with fewer keeps its default
	learnWeight    = 10  // the confidence of the detector counts as this many decisions
	learnLower     = 0.2 // active_from is at most this much below its default
	learnRaise     = 0.3 // and at most this much above
	learnBins      = 10  // of confidence
)

// CutDefault is what an account's decisions say about one type of detected edit.
type CutDefault struct {
	Type                          string
	Accepted, Rejected            int     // edits that exports used, and edits that a person switched off
	ActiveFrom, DefaultActiveFrom float64 // least confidence of an active edit: learned, and without learning
}

// CutDefaults are the learned defaults of an account.
type CutDefaults struct {
	Items   []CutDefault // every detected type, in display order
	Enabled bool         // decisions count, and analyses use the learned values
}

// Verdicts about a detected edit.
const (
	verdictAccepted = "accepted" // active in an export
	verdictRejected = "rejected" // switched off by a person
	verdictLeftOff  = "left_off" // proposed inactive and not touched
)

// judgment is the verdict that a detected edit has in the tally of its type.
type judgment struct {
	Verdict string
	Bin     int // of the confidence at that time
}

// tally counts the verdicts about a type by confidence: bin n holds [n/10, (n+1)/10).
type tally struct{ Accepted, Rejected, LeftOff []int }

// cutDefaultsRow holds the decisions of an account. An account without decisions has no row.
type cutDefaultsRow struct {
	UserUUID  string
	Disabled  bool `json:",omitempty"`
	Types     map[string]tally
	UpdatedAt time.Time
}

var (
	cutDefaultsByUser = &table.Index[cutDefaultsRow]{
		Name: "cut_defaults.by_user",
		Keys: func(r *cutDefaultsRow) [][]byte { return table.Entry(r.UserUUID) },
	}
	cutDefaults = &table.Table[cutDefaultsRow]{
		Name:    "cut_defaults",
		Noun:    "cut defaults",
		Key:     func(r *cutDefaultsRow) []byte { return []byte(r.UserUUID) },
		Indexes: []*table.Index[cutDefaultsRow]{cutDefaultsByUser},
	}
)

// CutDefaults returns the learned defaults of an account.
func (s *Store) CutDefaults(userUUID string) (CutDefaults, error) {
	var d CutDefaults
	err := s.view(func(t *txn) error {
		row, err := t.cutDefaults(userUUID)
		d = row.served()
		return err
	})
	return d, err
}

// EnableCutDefaults switches learning on or off. The decisions stay.
func (s *Store) EnableCutDefaults(userUUID string, enabled bool) (CutDefaults, error) {
	var d CutDefaults
	err := s.update(func(t *txn) error {
		row, err := t.cutDefaults(userUUID)
		if err != nil {
			return err
		}
		row.Disabled, row.UpdatedAt = !enabled, t.now
		d = row.served()
		return cutDefaults.Put(t, row)
	})
	return d, err
}

// ResetCutDefaults forgets the decisions of an account. Edits that were counted are not counted
// again. Learning stays on or off.
func (s *Store) ResetCutDefaults(userUUID string) error {
	return s.update(func(t *txn) error {
		row, err := t.cutDefaults(userUUID)
		if err != nil {
			return err
		}
		row.Types, row.UpdatedAt = nil, t.now
		return cutDefaults.Put(t, row)
	})
}

// cutDefaults returns the stored row of an account, or a new one.
func (t *txn) cutDefaults(userUUID string) (*cutDefaultsRow, error) {
	row, err := cutDefaults.Find(t, userUUID)
	if row == nil {
		row = &cutDefaultsRow{UserUUID: userUUID}
	}
	return row, err
}

func (r *cutDefaultsRow) served() CutDefaults {
	d := CutDefaults{Enabled: !r.Disabled}
	for _, kind := range media.DetectedKinds() {
		k := r.Types[kind]
		item := CutDefault{
			Type:              kind,
			Accepted:          sum(k.Accepted),
			Rejected:          sum(k.Rejected),
			ActiveFrom:        media.DefaultActiveFrom,
			DefaultActiveFrom: media.DefaultActiveFrom,
		}
		if d.Enabled {
			item.ActiveFrom = k.activeFrom()
		}
		d.Items = append(d.Items, item)
	}
	return d
}

// learned returns the thresholds of an account that differ from the default, by type.
func (t *txn) learned(userUUID string) (map[string]float64, error) {
	row, err := t.cutDefaults(userUUID)
	if err != nil {
		return nil, err
	}
	var from map[string]float64
	for _, item := range row.served().Items {
		if item.ActiveFrom == item.DefaultActiveFrom {
			continue
		}
		if from == nil {
			from = map[string]float64{}
		}
		from[item.Type] = item.ActiveFrom
	}
	return from, nil
}

// activeFrom returns the least confidence of an active edit. It walks down from the highest
// confidence and stops at the first bin whose rate of acceptance is below one half. The rate is the
// mean of a Beta distribution: its prior has the mean of the detector's confidence and the weight
// of learnWeight decisions. Without decisions the result is the default.
func (k tally) activeFrom() float64 {
	const least = media.DefaultActiveFrom
	if sum(k.Accepted)+sum(k.Rejected) < learnDecisions {
		return least
	}
	bin := learnBins
	for bin > 0 && k.rate(bin-1) >= 0.5 {
		bin--
	}
	from := float64(bin) / learnBins
	return math.Round(100*min(max(from, least-learnLower), least+learnRaise)) / 100
}

// rate returns the smoothed rate of acceptance in a bin.
func (k tally) rate(bin int) float64 {
	at := func(counts []int) float64 {
		if bin < len(counts) {
			return float64(counts[bin])
		}
		return 0
	}
	middle := (float64(bin) + 0.5) / learnBins
	accepted := at(k.Accepted)
	return (accepted + learnWeight*middle) / (accepted + at(k.Rejected) + at(k.LeftOff) + learnWeight)
}

// add adds n verdicts of a kind. A count never drops below zero.
func (k *tally) add(j judgment, n int) {
	counts := map[string]*[]int{
		verdictAccepted: &k.Accepted, verdictRejected: &k.Rejected, verdictLeftOff: &k.LeftOff,
	}[j.Verdict]
	if *counts == nil {
		*counts = make([]int, learnBins)
	}
	(*counts)[j.Bin] = max(0, (*counts)[j.Bin]+n)
}

func sum(counts []int) (total int) {
	for _, n := range counts {
		total += n
	}
	return total
}

// learn counts what a person decided about the detected edits of an export. Each edit counts once;
// a later export corrects its verdict. overrides are those of the export.
func (t *txn) learn(project *projectRow, overrides map[string]Override) error {
	if project.ActiveRunUUID == "" {
		return nil
	}
	account, err := t.cutDefaults(project.UserUUID)
	if err != nil || account.Disabled {
		return err
	}
	rows, err := edits.List(t, editsByRun, project.ActiveRunUUID)
	if err != nil {
		return err
	}
	line, err := t.timeline(project.UUID)
	if err != nil {
		return err
	}
	changed := false
	for _, row := range line.shown(rows) {
		now, ok := row.judge(overrides[row.UUID].Active)
		if !ok || row.Judged != nil && row.Judged.Verdict == now.Verdict {
			continue
		}
		account.count(row, now)
		row.Judged, changed = &now, true
		if err := edits.Put(t, row); err != nil {
			return err
		}
	}
	if !changed {
		return nil
	}
	account.UpdatedAt = t.now
	return cutDefaults.Put(t, account)
}

// judge returns the verdict about a detected edit. It returns false for an edit without one: one
// that a choice of takes created, a placement, and one that stayed off although its confidence is
// high, because its type is off by default.
func (r *editRow) judge(override *bool) (judgment, bool) {
	if r.Confidence == nil || !media.IsDetected(r.Type) {
		return judgment{}, false
	}
	active, decided := r.Active, r.Touched
	if override != nil {
		active, decided = *override, decided || *override != r.Active
	}
	j := judgment{Bin: min(max(int(*r.Confidence*learnBins), 0), learnBins-1)}
	switch {
	case active:
		j.Verdict = verdictAccepted
	case decided:
		j.Verdict = verdictRejected
	case *r.Confidence < media.DefaultActiveFrom:
		j.Verdict = verdictLeftOff
	default:
		return judgment{}, false
	}
	return j, true
}

// count adds a verdict about an edit and withdraws its former one.
func (r *cutDefaultsRow) count(row *editRow, now judgment) {
	if r.Types == nil {
		r.Types = map[string]tally{}
	}
	k := r.Types[row.Type]
	if row.Judged != nil {
		k.add(*row.Judged, -1)
	}
	k.add(now, 1)
	r.Types[row.Type] = k
}
