package store

import "fmt"

// Access says whether a user may use what an id in an address names: it is the one way from an id
// to its owner. Noun is "project", "clip", "run", "edit", "draft", "export", "caption_line",
// "token", "preset", "asset", "asset_group", "invitation", or "user", which admins alone may use.
// Errors: NotFound, then Forbidden. A run is only looked for: that it belongs to the project beside
// it in the address is a rule of each operation, and so is that a preset is of the kind asked for.
func (s *Store) Access(userUUID, noun, uuid string) error {
	return s.view(func(t *txn) error {
		var err error
		switch noun {
		case "project":
			_, err = t.ownProject(userUUID, uuid)
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
		case "export":
			_, err = t.ownExport(userUUID, uuid)
		case "caption_line":
			var row *captionRow
			if row, err = captions.Get(t, uuid); err == nil {
				err = t.ownPart(userUUID, row.ProjectUUID, captions.Noun)
			}
		case "token":
			_, err = t.ownAccessToken(userUUID, uuid)
		case "preset":
			err = t.accessPreset(userUUID, uuid)
		case "asset":
			_, err = t.ownAsset(userUUID, uuid)
		case "asset_group":
			_, err = t.ownGroup(userUUID, uuid)
		case "invitation":
			err = t.accessInvitation(userUUID, uuid)
		case "user":
			err = t.accessUser(userUUID, uuid)
		default:
			err = fmt.Errorf("asking for access to an unknown noun %q", noun)
		}
		return err
	})
}

// ownPart refuses a part of somebody else's project.
func (t *txn) ownPart(userUUID, projectUUID, what string) error {
	project, err := projects.Get(t, projectUUID)
	if err == nil && project.UserUUID != userUUID {
		err = notYours(what)
	}
	return err
}
