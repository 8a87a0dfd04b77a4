package server

import (
	"context"
	"errors"
	"io/fs"

	"roughcut/media"
	"roughcut/server/api"
	"roughcut/server/mail"
	"roughcut/server/problem"
	"roughcut/store"
	"roughcut/store/account"
	"roughcut/store/billing"
)

func accountRecord(a store.Account) api.Account {
	b := a.Billing
	return api.Account{
		User:               userRecord(a.User),
		Tier:               api.AccountTier(b.Tier),
		SubscriptionStatus: api.AccountSubscriptionStatus(b.SubscriptionStatus),
		TrialEndsAt:        timestampOrNull(b.TrialEndsAt),
		Credits:            api.Credits{AIMinutes: api.Balance{Balance: b.Balance, Reserved: b.Reserved}},
		StorageQuotaBytes:  b.StorageQuotaBytes,
		ProjectCount:       b.ProjectCount,
		MaxProjects:        b.MaxProjects,
	}
}

// ListUsers returns one page of the accounts, newest first.
func (s handlers) ListUsers(
	_ context.Context,
	request api.ListUsersRequestObject,
) (api.ListUsersResponseObject, error) {
	page := pageOf(request.Params.Page, request.Params.PageSize)
	filter := account.UserFilter{Query: valueOr(request.Params.Q, ""), EmailVerified: request.Params.EmailVerified}
	accounts, total, err := s.Store.Users(page, filter)
	return api.ListUsers200JSONResponse(pageRecord(page, accounts, total, accountRecord)), err
}

// GetUser returns an account.
func (s handlers) GetUser(_ context.Context, request api.GetUserRequestObject) (api.GetUserResponseObject, error) {
	account, err := s.Store.Account(request.UserUUID)
	return api.GetUser200JSONResponse(accountRecord(account)), err
}

// ChangeUser sets the tier of an account, grants or revokes admin rights, and lets people in.
func (s handlers) ChangeUser(
	_ context.Context,
	request api.ChangeUserRequestObject,
) (api.ChangeUserResponseObject, error) {
	if err := s.Store.ChangeAccount(request.UserUUID, store.AccountChange{
		Admin:       request.Body.IsAdmin,
		Tier:        (*billing.Tier)(request.Body.Tier),
		VerifyEmail: request.Body.EmailVerified != nil,
	}); err != nil {
		return nil, err
	}

	account, err := s.Store.Account(request.UserUUID)
	return api.ChangeUser200JSONResponse(accountRecord(account)), err
}

// RemoveUser deletes the account of another user.
func (s handlers) RemoveUser(
	ctx context.Context,
	request api.RemoveUserRequestObject,
) (api.RemoveUserResponseObject, error) {
	if request.UserUUID == userOf(ctx) {
		return nil, problem.Conflictf(
			"This is your own account. Delete it in its settings, with your password.",
		)
	}

	if err := s.Store.RemoveUser(request.UserUUID); err != nil {
		return nil, err
	}
	s.transfers.endUser(request.UserUUID)
	return api.RemoveUser204Response{}, nil
}

// ListQueuedMails returns the queued mails without their content: the links are secrets of the
// recipients.
func (s handlers) ListQueuedMails(
	_ context.Context,
	request api.ListQueuedMailsRequestObject,
) (api.ListQueuedMailsResponseObject, error) {
	page := pageOf(request.Params.Page, request.Params.PageSize)
	mails, total, err := s.Store.Mails(page)
	record := func(m store.QueuedMail) api.QueuedMail {
		return api.QueuedMail{
			UUID: m.UUID, To: m.To, Subject: m.Subject, Attempts: m.Attempts, LastError: orNull(m.LastError),
			CreatedAt: timestamp(m.CreatedAt), NextAttemptAt: timestamp(m.NextAttemptAt),
		}
	}
	return api.ListQueuedMails200JSONResponse(pageRecord(page, mails, total, record)), err
}

// ListFeedback returns the cancellation feedback of users.
func (s handlers) ListFeedback(
	_ context.Context,
	request api.ListFeedbackRequestObject,
) (api.ListFeedbackResponseObject, error) {
	page := pageOf(request.Params.Page, request.Params.PageSize)
	list, total, err := s.Store.Feedback(page)
	record := func(f billing.Feedback) api.Feedback {
		return api.Feedback{
			UUID:      f.UUID,
			UserUUID:  f.UserUUID,
			Reason:    f.Reason,
			Detail:    orNull(f.Detail),
			Outcome:   api.FeedbackOutcome(f.Outcome),
			Tier:      api.FeedbackTier(f.Tier),
			CreatedAt: timestamp(f.CreatedAt),
		}
	}
	return api.ListFeedback200JSONResponse(pageRecord(page, list, total, record)), err
}

// ListOutbox returns the mails in the outbox folder, or none if the server sends mail through SMTP.
func (s handlers) ListOutbox(
	_ context.Context,
	request api.ListOutboxRequestObject,
) (api.ListOutboxResponseObject, error) {
	page := pageOf(request.Params.Page, request.Params.PageSize)
	response := api.ListOutbox200JSONResponse{Items: []api.OutboxEntry{}, Page: page.Number, PageSize: page.Size}
	outbox, ok := s.Mail.(mail.Outbox)
	if !ok {
		return response, nil
	}
	names, err := outbox.List()
	if err != nil {
		return nil, err
	}
	response.Total = len(names)
	first := min((page.Number-1)*page.Size, len(names))
	for _, name := range names[first:min(first+page.Size, len(names))] {
		m, err := outbox.Read(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted since List
		}
		if err != nil {
			return nil, err
		}
		response.Items = append(
			response.Items,
			api.OutboxEntry{Name: name, To: m.To, Subject: m.Subject, CreatedAt: timestamp(m.Date)},
		)
	}

	return response, nil
}

// ReadOutbox returns one mail from the outbox folder.
func (s handlers) ReadOutbox(
	_ context.Context,
	request api.ReadOutboxRequestObject,
) (api.ReadOutboxResponseObject, error) {
	err := fs.ErrNotExist
	var m mail.Message
	if outbox, ok := s.Mail.(mail.Outbox); ok {
		m, err = outbox.Read(request.Mail)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, problem.NotFoundf("The outbox has no such mail. Reload the list.")
	}
	return api.ReadOutbox200JSONResponse{
		Name:      request.Mail,
		To:        m.To,
		Subject:   m.Subject,
		CreatedAt: timestamp(m.Date),
		Text:      m.Text,
		HTML:      m.HTML,
	}, err
}

// GetStorage returns the storage use of the server.
func (s handlers) GetStorage(
	_ context.Context,
	request api.GetStorageRequestObject,
) (api.GetStorageResponseObject, error) {
	page := pageOf(request.Params.Page, request.Params.PageSize)
	stats, total, err := s.Store.StorageStats(page)
	if err != nil {
		return nil, err
	}
	installed, err := s.Models.List()
	if err != nil {
		return nil, err
	}
	models := int64(0)
	for _, m := range installed {
		models += m.Received
	}
	shares := mapSlice(stats.Users, func(u store.AccountStorage) api.StorageShare {
		return api.StorageShare{
			UserUUID:         u.UserUUID,
			Username:         u.Username,
			Email:            u.Email,
			StorageUsedBytes: u.CountedBytes,
			FileBytes:        u.FileBytes,
		}
	})
	return api.GetStorage200JSONResponse{
		DiskFreeBytes:    stats.FreeBytes,
		DiskReserveBytes: stats.MinFreeBytes,
		DatabaseBytes:    stats.DatabaseBytes,
		OriginalBytes:    stats.OriginalBytes,
		DerivedBytes:     stats.DerivedBytes,
		ExportBytes:      stats.ExportBytes,
		UploadBytes:      stats.PartialUploadBytes,
		ModelBytes:       models,
		Items:            shares,
		Total:            total,
		Page:             page.Number,
		PageSize:         page.Size,
	}, nil
}

// encoderRecord returns the video encoder of the server.
func (s handlers) encoderRecord() api.Encoder {
	choice := media.EncoderChoice{Wanted: media.EncoderSoftware, Name: media.EncoderSoftware}
	if s.Options.Encoder != nil {
		choice = s.Options.Encoder()
	}
	return api.Encoder{
		Setting: choice.Wanted,
		Name:    choice.Name,
		Tests: mapSlice(choice.Tests, func(t media.EncoderTest) api.EncoderTest {
			return api.EncoderTest{Name: t.Name, Fault: orNull(t.Fault)}
		}),
	}
}

// GetSystem returns the state of the server.
func (s handlers) GetSystem(context.Context, api.GetSystemRequestObject) (api.GetSystemResponseObject, error) {
	stats, err := s.Store.Metrics()
	if err != nil {
		return nil, err
	}
	index, err := s.Store.IndexState()
	if err != nil {
		return nil, err
	}
	kinds := []store.JobKind{store.JobClip, store.JobAnalysis, store.JobExport}
	return api.GetSystem200JSONResponse{
		Components: mapSlice(
			s.Components,
			func(c Component) api.Component { return api.Component{Name: c.Name, Version: c.Version} },
		),
		Encoder:   s.encoderRecord(),
		Ready:     s.ready() == nil,
		StartedAt: timestamp(s.started),
		Workers:   s.Workers,
		Jobs: mapSlice(kinds, func(k store.JobKind) api.JobCount {
			return api.JobCount{Kind: api.JobCountKind(k), Queued: stats.Jobs[k].Queued, Running: stats.Jobs[k].Running}
		}),
		OldestQueuedAt: timestampOrNull(stats.OldestQueuedAt),
		QueuedMails:    stats.Mails,
		SearchIndex:    api.SystemSearchIndex(index),
		Users:          stats.Users,
		Projects:       stats.Projects,
	}, nil
}
