package store

import "roughcut/store/table"

// ProjectCounts are the numbers of a project in a list.
type ProjectCounts struct {
	ToReview int // detected cuts of the active run that no person decided on
	Exports  int // completed exports that are not in the trash
}

func undecidedKey(run, clip string) string { return run + "/" + clip }

// count returns the counts of a project. It reads its clips, whose trash hides their cuts, and no
// edits.
func (t *txn) count(project *projectRow) (ProjectCounts, error) {
	counts := ProjectCounts{Exports: exports.Count(t, exportsCompleted, project.UUID)}
	if project.ActiveRunUUID == "" {
		return counts, nil
	}
	list, err := clips.List(t, clipsByProject, project.UUID)
	for _, clip := range list {
		counts.ToReview += edits.Count(t, editsUndecided, undecidedKey(project.ActiveRunUUID, clip.UUID))
	}

	return counts, err
}

// counted returns a project with its counts.
func (t *txn) counted(project *projectRow) (Project, error) {
	counts, err := t.count(project)
	listed := project.Project
	listed.Counts = counts
	return listed, err
}

// listed returns the projects of one page, with their counts.
func (t *txn) listed(rows []*projectRow, p Page) ([]Project, error) {
	rows = table.Cut(rows, p)
	list := make([]Project, 0, len(rows))
	for _, row := range rows {
		project, err := t.counted(row)
		if err != nil {
			return nil, err
		}
		list = append(list, project)
	}

	return list, nil
}
