package server

import (
	"context"

	"roughcut/server/api"
)

// GetBillingStatus answers with the caller's plan, credits and limits.
func (s operations) GetBillingStatus(ctx context.Context, _ api.GetBillingStatusRequestObject) (api.GetBillingStatusResponseObject, error) {
	b, err := s.Store.Billing(userOf(ctx))
	if err != nil {
		return nil, err
	}
	return api.GetBillingStatus200JSONResponse{
		Tier: api.BillingStatusTier(b.Tier), SubscriptionStatus: api.BillingStatusSubscriptionStatus(b.SubscriptionStatus),
		TrialEndsAt: timestampOrNull(b.TrialEndsAt), TrialUsed: b.TrialUsed, HasActivePlan: b.HasActivePlan,
		Credits:          api.Credits{AIMinutes: api.Balance{Balance: b.Balance, Reserved: b.Reserved}},
		StorageUsedBytes: b.StorageUsedBytes, StorageQuotaBytes: b.StorageQuotaBytes,
		ProjectCount: b.ProjectCount, MaxProjects: b.MaxProjects,
		CanUseAIDirector: b.CanUseAIDirector, CanWatermarkFree: b.CanWatermarkFree, CanAccessSupport: b.CanAccessSupport,
	}, nil
}
