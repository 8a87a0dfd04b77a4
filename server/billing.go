package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"roughcut/server/api"
	"roughcut/server/mail"
	"roughcut/server/problem"
	"roughcut/store"
	"roughcut/store/billing"
)

// billingRecord returns the billing status of a user.
func (s *Server) billingRecord(userUUID string) (api.BillingStatus, error) {
	b, err := s.Store.Billing(userUUID)
	return api.BillingStatus{
		Tier:                api.BillingStatusTier(b.Tier),
		SubscriptionStatus:  api.BillingStatusSubscriptionStatus(b.SubscriptionStatus),
		BillingInterval:     orNull(b.Interval),
		TrialEndsAt:         timestampOrNull(b.TrialEndsAt),
		TrialUsed:           b.TrialUsed,
		DiscountUsed:        b.DiscountUsed,
		HasActivePlan:       b.HasActivePlan,
		Credits:             api.Credits{AIMinutes: api.Balance{Balance: b.Balance, Reserved: b.Reserved}},
		IsBeta:              b.IsBeta,
		BetaCreditsUsed:     b.BetaCreditsUsed,
		BetaCreditsTotal:    b.BetaCreditsTotal,
		BetaRenewalDate:     timestampOrNull(b.BetaRenewsAt),
		StorageUsedBytes:    b.StorageUsedBytes,
		StorageQuotaBytes:   b.StorageQuotaBytes,
		ProjectCount:        b.ProjectCount,
		MaxProjects:         b.MaxProjects,
		CanUseAIDirector:    b.CanUseAIDirector,
		CanWatermarkFree:    b.CanWatermarkFree,
		CanAccessSupport:    b.CanAccessSupport,
		CurrentPeriodEndsAt: timestampOrNull(b.PeriodEnd),
		CreditsRenewAt:      timestampOrNull(b.RefillAt),
		ScheduledPriceID:    orNull(b.ScheduledPriceID),
		PlanMode:            s.planMode(),
	}, err
}

// planMode returns whether the server meters usage, runs for its owner, or has accounts without
// limits.
func (s *Server) planMode() api.BillingStatusPlanMode {
	switch {
	case s.Settings.Owner:
		return api.Owner
	case s.Store.TierTable().Unlimited:
		return api.Unlimited
	}

	return api.Metered
}

// GetBillingStatus returns the caller's tier, credits and limits.
func (s handlers) GetBillingStatus(
	ctx context.Context,
	_ api.GetBillingStatusRequestObject,
) (api.GetBillingStatusResponseObject, error) {
	record, err := s.billingRecord(userOf(ctx))
	return api.GetBillingStatus200JSONResponse(record), err
}

// ListPrices returns the available prices.
func (s handlers) ListPrices(context.Context, api.ListPricesRequestObject) (api.ListPricesResponseObject, error) {
	plans := s.Store.TierTable()
	record := func(p billing.Price) api.Price {
		plan := plans.Tiers[p.Tier]
		return api.Price{
			PriceID:     p.ID,
			Tier:        api.PriceTier(p.Tier),
			Interval:    api.PriceInterval(p.Interval),
			AmountCents: p.AmountCents,
			Currency:    plans.Currency,
			Entitlements: api.Entitlements{
				StorageQuotaBytes:      plan.StorageQuotaBytes,
				MaxProjects:            plan.MaxProjects,
				AIMinutes:              plan.AIMinutes,
				ExportRetentionSeconds: int64(plan.ExportRetention / time.Second),
				WatermarkFree:          plan.WatermarkFree,
				AIDirector:             plan.AIDirector,
				Support:                plan.Support,
			},
		}
	}
	return api.ListPrices200JSONResponse(wholePage(plans.Prices(), record)), nil
}

// ActivateTrial starts the caller's trial.
func (s handlers) ActivateTrial(
	ctx context.Context,
	_ api.ActivateTrialRequestObject,
) (api.ActivateTrialResponseObject, error) {
	if err := s.Store.ActivateTrial(userOf(ctx)); err != nil {
		return nil, err
	}
	record, err := s.billingRecord(userOf(ctx))
	return api.ActivateTrial200JSONResponse(record), err
}

// Upgrade moves the caller to a higher price and charges the difference.
func (s handlers) Upgrade(ctx context.Context, request api.UpgradeRequestObject) (api.UpgradeResponseObject, error) {
	payment, err := s.Payments.Upgrade(ctx, userOf(ctx), request.Body.PriceID)
	if err != nil {
		return nil, err
	}
	record, err := s.billingRecord(userOf(ctx))
	return api.Upgrade200JSONResponse{
		ChargedCents: payment.AmountCents,
		Currency:     payment.Currency,
		Billing:      record,
	}, err
}

// QuoteUpgrade returns the amount that Upgrade would charge now.
func (s handlers) QuoteUpgrade(
	ctx context.Context,
	request api.QuoteUpgradeRequestObject,
) (api.QuoteUpgradeResponseObject, error) {
	q, err := s.Store.QuoteUpgrade(userOf(ctx), request.Params.PriceID)
	return api.QuoteUpgrade200JSONResponse{
		PriceCents: q.PriceCents, CountedCents: q.CountedCents, ChargedCents: q.AmountCents, CreditCents: q.CreditCents,
		Currency: s.Store.TierTable().Currency, PeriodEndsAt: timestamp(q.PeriodEnd),
	}, err
}

// ScheduleDowngrade schedules a lower price for the end of the caller's period.
func (s handlers) ScheduleDowngrade(
	ctx context.Context,
	request api.ScheduleDowngradeRequestObject,
) (api.ScheduleDowngradeResponseObject, error) {
	err := s.Store.ScheduleDowngrade(userOf(ctx), request.Body.PriceID)
	return api.ScheduleDowngrade204Response{}, err
}

// GiveCancellationFeedback records the caller's feedback and applies its outcome.
func (s handlers) GiveCancellationFeedback(
	ctx context.Context,
	request api.GiveCancellationFeedbackRequestObject,
) (api.GiveCancellationFeedbackResponseObject, error) {
	b := request.Body
	err := s.Store.AddFeedback(billing.Feedback{
		UserUUID: userOf(ctx),
		Reason:   b.Reason,
		Detail:   valueOr(b.Detail, ""),
		Outcome:  string(b.Outcome),
	})
	return api.GiveCancellationFeedback204Response{}, err
}

// RequestSupport mails the caller's message to the team and a confirmation to the caller.
func (s handlers) RequestSupport(
	ctx context.Context,
	request api.RequestSupportRequestObject,
) (api.RequestSupportResponseObject, error) {
	f, user := infoOf(ctx), infoOf(ctx).caller.user
	b, err := s.Store.Billing(user.UUID)
	if err != nil {
		return nil, err
	}
	if !b.CanAccessSupport {
		return nil, problem.Errorf(
			store.Forbidden,
			"plan_limit",
			"Your tier does not include support by mail. Upgrade to contact the team.",
		)
	}

	message := strings.TrimSpace(request.Body.Message)
	if message == "" {
		return nil, problem.FieldError("message", "must not be blank")
	}
	letter := mail.SupportRequest(user.Name, user.Email, request.Body.Reason, accountText(b), message)
	err = s.Store.QueueMails(
		envelope(s.Settings.SupportEmail, letter),
		envelope(user.Email, mail.SupportReceived(user.Name, message, f.mailURL+"/")),
	)
	return api.RequestSupport202Response{}, err
}

// accountText describes a user's subscription for the team.
func accountText(b store.Billing) string {
	paid := "not paid"
	if b.Interval != "" {
		paid = "paid by the " + b.Interval
	}
	text := fmt.Sprintf(
		"tier %s, %s (%s), AI minutes %s, reserved %s",
		b.Tier,
		b.SubscriptionStatus,
		paid,
		decimal(b.Balance),
		decimal(b.Reserved),
	)
	if b.IsBeta {
		text += ", beta tester"
	}
	return text
}

func decimal(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// AddPaymentMethod returns the address of the page where the caller enters a card.
func (s handlers) AddPaymentMethod(
	ctx context.Context,
	_ api.AddPaymentMethodRequestObject,
) (api.AddPaymentMethodResponseObject, error) {
	f := infoOf(ctx)
	url, err := s.Payments.CardPage(ctx, f.caller.user, f.baseURL+"/")
	return api.AddPaymentMethod200JSONResponse{URL: url}, err
}

// ListInvoices returns one page of the caller's charges, credits and refunds.
func (s handlers) ListInvoices(
	ctx context.Context,
	request api.ListInvoicesRequestObject,
) (api.ListInvoicesResponseObject, error) {
	page := pageOf(request.Params.Page, request.Params.PageSize)
	list, total, err := s.Store.Invoices(userOf(ctx), page)
	return api.ListInvoices200JSONResponse(pageRecord(page, list, total, invoiceRecord)), err
}

// ListMovements returns one page of the caller's AI minute ledger.
func (s handlers) ListMovements(
	ctx context.Context,
	request api.ListMovementsRequestObject,
) (api.ListMovementsResponseObject, error) {
	page := pageOf(request.Params.Page, request.Params.PageSize)
	list, total, err := s.Store.CreditMovements(userOf(ctx), page)
	record := func(m billing.CreditMovement) api.Movement {
		return api.Movement{
			Kind:        api.MovementKind(m.Kind),
			Minutes:     m.Minutes,
			Beta:        m.Beta,
			Reason:      orNull(m.Reason),
			RunUUID:     orNull(m.RunUUID),
			ProjectUUID: orNull(m.ProjectUUID),
			ProjectName: orNull(m.ProjectName),
			CreatedAt:   timestamp(m.At),
		}
	}
	return api.ListMovements200JSONResponse(pageRecord(page, list, total, record)), err
}

func invoiceRecord(i billing.Invoice) api.Invoice {
	return api.Invoice{
		UUID:        i.UUID,
		CreatedAt:   timestamp(i.CreatedAt),
		Kind:        api.InvoiceKind(i.Kind),
		Description: i.Description,
		AmountCents: i.AmountCents,
		Currency:    i.Currency,
		PeriodStart: timestampOrNull(i.PeriodStart),
		PeriodEnd:   timestampOrNull(i.PeriodEnd),
		Status:      api.InvoiceStatus(i.Status),
	}
}

// GrantBeta adds an account to the beta program. The middleware resolve has already checked that
// the caller is an admin.
func (s handlers) GrantBeta(
	_ context.Context,
	request api.GrantBetaRequestObject,
) (api.GrantBetaResponseObject, error) {
	var renewsAt time.Time
	if text := valueOr(request.Body.RenewalDate, ""); text != "" {
		var err error
		if renewsAt, err = time.Parse(time.RFC3339, text); err != nil {
			return nil, problem.FieldError("renewal_date", "is not a time such as 2026-01-31T12:00:00Z")
		}
	}

	user, err := s.Store.GrantBeta(
		request.Body.Email,
		request.Body.CreditsTotal,
		renewsAt.UTC().Truncate(time.Millisecond),
	)
	if err != nil {
		return nil, err
	}
	record, err := s.billingRecord(user.UUID)
	return api.GrantBeta200JSONResponse(record), err
}

// stripeWebhook handles an event from Stripe. Its signature replaces a session.
func (s *Server) stripeWebhook(c echo.Context) error {
	payload, err := io.ReadAll(c.Request().Body)
	if err != nil {
		return err
	}
	if err := s.Payments.HandleWebhook(
		c.Request().Context(),
		payload,
		c.Request().Header.Get("Stripe-Signature"),
	); err != nil {
		return err
	}

	return c.NoContent(http.StatusNoContent)
}
