package store

import (
	"fmt"

	"roughcut/store/table"
)

// Access checks that a user may use the object that an id in an API path names. Every id in a path
// is checked here. The nouns are "project", "trashed_project" for a project in the trash or not,
// "clip", "run", "edit", "draft", "marker", "short", "export", "trashed", "caption_line",
// "replacement", "token", "preset", "asset", "asset_group", "invitation", and "user", which only
// admins may use.
//
// For a run it checks only that the run exists: each operation checks that the run belongs to the
// project in the path. Likewise, each operation checks that a preset is of the requested kind.
//
// Errors: NotFound, then Forbidden.
func (s *Store) Access(userUUID, noun, uuid string) error {
	return s.view(func(t *txn) error {
		var err error
		switch noun {
		case "project":
			_, err = t.ownProject(userUUID, uuid)
		case "trashed_project":
			_, err = t.ownAnyProject(userUUID, uuid)
		case "clip":
			_, err = t.ownClip(userUUID, uuid)
		case "run":
			_, err = runs.Get(t, uuid)
		case "edit":
			_, err = t.ownEdit(userUUID, uuid)
		case "draft":
			var row *draftRow
			if row, err = drafts.Get(t, uuid); err == nil {
				err = t.ownPart(userUUID, row.ProjectUUID, drafts.Noun)
			}
		case "marker":
			_, _, err = markersOn.own(t, userUUID, "", uuid)
		case "short":
			_, _, err = shortsOn.own(t, userUUID, "", uuid)
		case "export":
			_, err = t.ownExport(userUUID, uuid)
		case "trashed":
			err = t.accessTrashed(userUUID, uuid)
		case "caption_line":
			var row *captionRow
			if row, err = captions.Get(t, uuid); err == nil {
				err = t.ownPart(userUUID, row.ProjectUUID, captions.Noun)
			}
		case "replacement":
			_, err = t.ownReplacement(userUUID, uuid)
		case "token":
			_, err = t.registry().OwnAccessToken(userUUID, uuid)
		case "preset":
			err = t.accessPreset(userUUID, uuid)
		case "asset":
			_, err = t.ownAsset(userUUID, uuid)
		case "asset_group":
			_, err = t.ownGroup(userUUID, uuid)
		case "invitation":
			err = t.registry().AccessInvitation(userUUID, uuid)
		case "user":
			err = t.registry().AccessUser(userUUID, uuid)
		default:
			err = fmt.Errorf("checking access: unknown noun %q", noun)
		}

		return err
	})
}

// ownPart refuses a part of a project of another user, and of a project in the trash. Errors:
// NotFound, Forbidden.
func (t *txn) ownPart(userUUID, projectUUID, what string) error {
	project, err := projects.Get(t, projectUUID)
	if err == nil && project.UserUUID != userUUID {
		err = notYours(what)
	}
	if err == nil && project.TrashedAt != nil {
		err = inTrash()
	}
	t.actor = userUUID
	return err
}

// InProject reports whether the object that an id in an API path names is a project or a part of
// it. The noun is one that Access knows. InProject returns false for a missing object and for an
// object that belongs to an account, such as an asset.
func (s *Store) InProject(projectUUID, noun, uuid string) (in bool, err error) {
	return viewed(s, func(t *txn) (in bool, err error) {
		var of string
		switch noun {
		case "project":
			of = uuid
		case "clip":
			of, err = projectOf(t, clips, uuid, func(r *clipRow) string { return r.ProjectUUID })
		case "run":
			of, err = projectOf(t, runs, uuid, func(r *runRow) string { return r.ProjectUUID })
		case "edit":
			of, err = projectOf(t, edits, uuid, func(r *editRow) string { return r.ProjectUUID })
		case "draft":
			of, err = projectOf(t, drafts, uuid, func(r *draftRow) string { return r.ProjectUUID })
		case "marker":
			of, err = projectOf(t, markers, uuid, markersOn.project)
		case "short":
			of, err = projectOf(t, shorts, uuid, shortsOn.project)
		case "export":
			of, err = projectOf(t, exports, uuid, func(r *exportRow) string { return r.ProjectUUID })
		case "caption_line":
			of, err = projectOf(t, captions, uuid, func(r *captionRow) string { return r.ProjectUUID })
		}

		in = of == projectUUID
		return in, err
	})
}

// projectOf returns the project of a row, or "" for a missing row.
func projectOf[T any](t *txn, tab *table.Table[T], uuid string, project func(*T) string) (string, error) {
	row, err := tab.Find(t, uuid)
	if err != nil || row == nil {
		return "", err
	}
	return project(row), nil
}
