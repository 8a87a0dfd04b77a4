package server

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// ruleTests names the tests of each rule that the API promises. An entry is a test function or the
// name of a case in a table. answeredAll also checks that the tests saw every status and error code
// of the contract.
var ruleTests = map[string][]string{
	"conventions": {
		"TestCommonShapesOfAnswers",
		"TestEveryOperationChecksOwnership",
		"TestInvalidIDsAreNotFound",
	},
	"record: fields of every record": {"TestRecordsHaveTheirFields", "TestNamesMustBeOneNonBlankLine"},
	"record: user": {
		"TestProfile",
		"accounts: taken address or username, ignoring case",
		"TestUploads",
	},
	"record: billing status": {
		"TestStateUserVerificationGrantsTheTrialAndItEnds",
		"TestBetaCreditsAreSpentFirstAndRenewed",
		"tiers: the limits of every tier",
	},
	"record: project": {
		"project: none, create: created",
		"run: completed, activate: active, transcript copied",
	},
	"record: analysis run, light list": {"run: completed, activate: active, transcript copied"},
	"record: clip and clip file": {
		"TestMainFlow",
		"TestOrderClips",
		"clips: a file that is not media fails with the reason",
	},
	"record: edit": {"TestManualEditRules", "edits: rules of placed assets"},
	"record: draft": {
		"drafts: settings and overrides merge field by field",
		"TestDraftsAndExports",
	},
	"record: export, expiry and watermark frozen": {
		"exports: defaults are size and shape as recorded and no captions, frozen at creation",
		"TestExportFreezesItsInput",
	},
	"record: export settings and audio defaults": {
		"exports: defaults are size and shape as recorded and no captions, frozen at creation",
		"TestContractViolationsReadAsSentences",
	},
	"record: asset": {
		"TestAssetFlow",
		"TestAssetIsListedAfterItsConfirm",
		"asset: pending, processing finishes: uploaded",
	},
	"record: asset group":  {"TestGroupsOfAssets", "TestGroupsAndMembershipsFollowAModel"},
	"record: caption line": {"TestCaptions"},
	"record: analysis preset": {
		"TestAnalysisPresets",
		"TestAtMostOneDefaultPreset",
		"TestPresetBounds",
	},
	"record: preview preset": {"TestPreviewPresets", "TestPresetBounds"},
	"operation: signup": {
		"TestSignupToLogout",
		"TestSignupRefusals",
		"login needs a verified address",
		"TestMailsToUnverifiedAddressesContainNoUserText",
	},
	"operation: login": {
		"login sets an HTTP-only cookie and returns a CSRF token",
		"TestLockoutDoublesAndResetsAfterSuccess",
		"TestRateLimitErrorsGiveWaitTime",
	},
	"operation: reset-password": {
		"TestPasswordReset",
		"links carry signed tokens and reset links expire after one hour",
		"change-password and reset-password end all sessions",
	},
	"operation: OAuth start and callback": {
		"TestFirstOAuthSignInCreatesVerifiedAccount",
		"TestVerifiedAccountIsLinkedAndNotified",
		"TestProviderAddressHasStatePKCEAndNonce",
		"TestSignInAtGitHub",
	},
	"operation: change-password": {
		"TestChangePasswordEndsEverySessionAndToken",
		"TestFirstPasswordNeedsNoCurrentOne",
	},
	"operation: request-email-change and its confirmation": {
		"TestEmailChange",
		"TestEmailChangeDoesNotRevealTakenAddresses",
		"TestConfirmEmailChangeRechecksAddress",
	},
	"operation: logout, logout-all, check-auth": {
		"TestSignupToLogout",
		"sessions: logout-all returns the number of ended sessions",
		"TestLogoutAllEndsEverySession",
	},
	"operation: send-verification, verify-email": {
		"TestMailRequestsDoNotRevealAccounts",
		"TestSecondVerificationLinkSendsNoSecondWelcome",
	},
	"operation: verify-password": {"TestVerifyPassword"},
	"operation: schedule-downgrade": {
		"TestStateSubscriptionDowngradeIsAppliedAtRenewal",
		"TestUpgradeCancelsScheduledDowngrade",
	},
	"operation: cancellation-feedback": {
		"TestCancellationFeedbackIsStored",
		"TestStateSubscriptionFeedbackCancelled",
	},
	"operation: support-request":        {"TestSupportRequests"},
	"operation: estimate-analysis-cost": {"TestCreditsRunOut", "TestMainFlow"},
	"operation: upgrade charges the card": {
		"TestUpgradeOutcomesAtStripe",
		"TestStripeChargesLatestCard",
		"TestQuoteMatchesUpgradeCharge",
	},
	"operation: beta grant": {"TestOnlyAdminsGrantBeta"},
	"operation: analyze": {
		"project: created, analyze: analyzing, credits reserved, pipeline queued",
		"projects: analyze checks its rules in order",
	},
	"operation: projects, newest first": {"TestProjectsAreListedInPages", "TestProjectLists"},
	"operation: clip presign": {
		"422: size, type and quota at presign",
		"TestContentTypeParametersAreIgnored",
		"TestFileNamesAreShownAsOneLine",
	},
	"operation: clip video-import": {
		"TestImportClip",
		"TestImportErrors",
		"400: imports that are too long, time out or cannot be looked up",
	},
	"operation: clip confirm": {
		"TestUploads",
		"TestQuotaCountsActualBytes",
		"TestConfirmOnFullDiskKeepsUpload",
	},
	"operation: proxy URL, sprite, ranges": {
		"TestMediaAddresses",
		"TestFilesSupportRangesAndConditions",
		"TestMissingFilesAreNotFound",
		"TestMediaOfUnreadyClips",
	},
	"operation: edits": {
		"TestManualEditRules",
		"TestEditsAndReplan",
		"TestDetectedEditIsSwitchedOffNotDeleted",
		"TestUpdateEditReplacesTheAsset",
		"TestPlacedAssetsOverHTTP",
	},
	"operation: drafts": {"400: bounds past the clips, or no clips", "TestDraftsAndExports"},
	"operation: exports and their download": {
		"TestDraftAndExportRules",
		"TestDownload",
		"exports: 404 after expiry",
	},
	"operation: asset presign and confirm": {
		"TestAssetPresignErrors",
		"TestAssetConfirmRules",
		"TestAssetFlow",
	},
	"operation: asset import": {"TestImportAsset"},
	"operation: asset update, edit, delete": {
		"TestAssetEditsOverHTTP",
		"TestAssetEditRules",
		"TestAssetsAreReadTrimmedAndReplaced",
		"TestDeletingAnAssetDeletesItsPlacements",
	},
	"operation: asset lists and video URL": {
		"TestAssetFiltersCombine",
		"TestAssetAddressOpensOnlyItsAsset",
	},
	"operation: groups and memberships": {"TestGroupsOfAssets", "TestAssetsAndGroupsOfOthersAreRefused"},
	"operation: caption lines":          {"TestCaptions", "max_words: 2-20"},
	"operation: presets": {
		"TestAnalysisPresets",
		"TestPreviewPresets",
		"TestPresetKindsAreSeparate",
	},
	"state: user, email verification": {
		"TestUserStates",
		"email_verified=false: a valid token verifies, welcomes and grants the trial",
	},
	"state: user, new through OAuth": {
		"TestUserStates",
		"new through OAuth: verified, trial granted, session established",
	},
	"state: project, create": {"project: none, create: created"},
	"state: project, analyze": {
		"project: created, analyze: analyzing, credits reserved, pipeline queued",
	},
	"state: run, activate completed": {"run: completed, activate: active, transcript copied"},
	"state: run, activate any other": {"run: any other, activate: unchanged and 422"},
	"state: credits, analysis succeeds or fails": {
		"TestStateCreditsReservedThenDeductedOrReleased",
		"TestCreditLedgerFollowsAModel",
	},
	"state: asset, processing finishes": {
		"asset: pending, processing finishes: uploaded",
		"asset: pending, processing fails: failed with the reason",
	},
	"state: asset, edited copy": {
		"asset: copy: pending, then uploaded",
		"TestCopyIsASeparateAsset",
	},
	"state: subscription, upgrade":            {"TestStateSubscriptionUpgradeChargesTheProratedPriceAtOnce"},
	"state: subscription, schedule downgrade": {"TestStateSubscriptionDowngradeIsAppliedAtRenewal"},
	"state: subscription, cancelled":          {"TestStateSubscriptionFeedbackCancelled"},
	"state: subscription, reminder, discount, kept": {
		"TestStateSubscriptionFeedbackReminderAndKeptPlan",
		"TestStateSubscriptionFeedbackDiscountsNextTwoRenewals",
	},
	"state: subscription, activate trial": {"TestStateSubscriptionActivateTrial"},
	"authentication":                      {"TestAuthenticationRules"},
	"events: stream, headers": {
		"events: stream headers",
		"TestEventStream",
		"TestEventStreamHasUsualHeaders",
	},
	"events: stream, owner only": {"events: another user's stream is 403, an unknown one 404"},
	"events: stream, frames and keepalive": {
		"TestEventStream",
		"TestEventStreamKeepsAliveAndEndsWithTheSession",
	},
	"events: events and payloads": {"TestEveryEventHasItsFields"},
	"status: 400": {
		"400: bounds past the clips, or no clips",
		"TestAssetEditsOverHTTP",
		"400: imports that are too long, time out or cannot be looked up",
		"400: wrong password on verify-password",
		"TestLookUpTimesOut",
		"TestPageWithTooLongAVideoIsRefused",
	},
	"status: 401": {"401: no valid session, expired media address"},
	"status: 402": {"402: need X AI minutes, have Y", "TestInsufficientCredits"},
	"status: 403": {
		"403: another user's resource, and login before verification",
		"TestEveryOperationChecksOwnership",
	},
	"status: 404": {"404: no such resource", "TestInvalidIDsAreNotFound"},
	"status: 409": {
		"409: already analyzing",
		"TestStateSubscriptionActivateTrial",
		"TestConfirmEmailChangeRechecksAddress",
	},
	"status: 422": {
		"422: size, type and quota at presign",
		"422: end_ms <= start_ms",
		"422: activating a run that is not completed",
		"TestRunsOfOtherProjects",
	},
	"status: 429": {
		"429: locked out, with Retry-After",
		"TestLimits",
		"TestEveryRateLimitIsEnforced",
		"TestLongRequestsAreLimitedAndEndWithServer",
	},
	"error: confirm over the quota": {
		"confirm over the quota fails and deletes the object",
		"TestQuotaCountsActualBytes",
	},
	"accounts: no enumeration": {
		"TestMailRequestsDoNotRevealAccounts",
		"TestEmailChangeDoesNotRevealTakenAddresses",
		"TestLoginHashesForEveryAccount",
	},
	"limit: signup rate":                 {"signup rate: 5 per IP per 10 minutes"},
	"limit: verification email rate":     {"verification email rate: 3 per IP per 5 minutes"},
	"limit: password reset request rate": {"password reset request rate: 3 per IP per 5 minutes"},
	"limit: change-password rate":        {"change-password rate: 5 per 300 s"},
	"limit: email-change request rate":   {"email-change request rate: 3 per 300 s"},
	"limit: login lockout": {
		"login lockout: base x 2^round up to the maximum",
		"lockout counts per IP",
		"lockout counts per username",
		"login lockout: the sixth failure within 900 s locks for 60 s",
	},
	"limit: reset token lifetime": {"reset token lifetime: 1 hour"},
	"limit: trial": {
		"trial: 7 days, 30 AI minutes, Creator tier",
		"trial: once per email even across deleted accounts",
		"TestTrialOutlivesItsAccount",
	},
	"limit: per-file upload maximum": {"per-file upload maximum: 2 GiB", "TestUploads"},
	"limit: tier storage quota": {
		"tier storage quota: 500 MiB, 2, 25 and 100 GiB",
		"tiers: the limits of every tier",
	},
	"limit: presigned upload address": {"TestUploads"},
	"limit: media address":            {"TestMediaAddresses"},
	"limit: asset playback address":   {"TestAssetFlow"},
	"limit: video import duration": {
		"video import: 60 minutes",
		"TestImportOfLongVideos",
		"TestPageWithTooLongAVideoIsRefused",
	},
	"limit: pacing_level, false_start_sensitivity": {"pacing_level and false_start_sensitivity: 0-100"},
	"limit: max_words":              {"max_words: 2-20"},
	"limit: analysis presets":       {"TestAtMostFiveAnalysisPresets"},
	"limit: main_volume_percent":    {"main_volume_percent: 0-100"},
	"limit: event stream keepalive": {"event stream keepalive: 15 s"},
	"convention: contract and docs": {
		"TestContractIsValid",
		"TestEveryOperationIsRouted",
		"TestDocsShowEveryOperationAndSchema",
		"TestDocsAreAccessible",
	},
	"convention: trailing slash": {"TestTrailingSlashDoesNotMatter"},
	"convention: errors": {
		"errors are problems with type, title, status, detail and code",
		"TestUnprocessableErrorsNameFields",
		"TestContractViolationsReadAsSentences",
		"TestPatternsAndFormatsHaveDescriptions",
		"bodies: unknown fields are ignored, wrong types are 422",
	},
	"convention: order of checks": {"order of checks: 401, CSRF, 404, 403, 422, rules"},
	"convention: pagination": {
		"page size: 1-200, 50 by default",
		"TestCommonShapesOfAnswers",
		"TestProjectsAreListedInPages",
		"TestEveryListRejectsInvalidPages",
	},
	"convention: timestamps and numbers": {"TestCommonShapesOfAnswers"},
	"convention: time": {
		"TestEditsStayOnTheirFootage",
		"TestReorderingKeepsTheCutFootage",
		"TestPlacementStaysInSyncWithItsFootage",
	},
	"session: cookie": {
		"sessions: 30 days, sliding; the cookie is Secure behind HTTPS",
		"TestStoredSessionsContainOnlyHashes",
	},
	"session: CSRF": {
		"CSRF token belongs into the header X-CSRF-Token",
		"TestCrossSiteRequestsToPublicOperationsAreRejected",
	},
	"session: personal access tokens": {
		"TestAccessTokensReplaceSessions",
		"TestAccessTokensListUseRevoke",
		"TestAccessTokensExpire",
	},
	"session: client IP": {"TestForwardedHeadersCountOnlyBehindTrustedProxies"},
	"session: passwords": {
		"accounts: passwords have 10 to 200 characters of any kind",
		"TestPasswords",
	},
	"answers: bodies and statuses": {
		"answers: operations without a documented body answer 204",
		"TestMainFlow",
		"TestAssetFlow",
		"TestDraftsAndExports",
	},
	"records: fields": {"TestRecordsHaveTheirFields"},
	"record: project statuses": {
		"project: analyzing, failure or cancel: previous state",
		"TestProjectStatusAfterAnEndedRun",
	},
	"record: placed assets": {"edits: rules of placed assets", "TestPlacingRules"},
	"record: exports":       {"exports: 404 after expiry", "TestExportLifecycle"},
	"analysis: cost, once per run": {
		"TestCreditLedgerFollowsAModel",
		"TestConcurrentRequestsCountOnce",
		"TestKilledAtRandom",
	},
	"analysis: pacing and sensitivity": {
		"TestPauseThresholdAndPaddingByPacing", "TestFalseStartsFollowSensitivity",
	},
	"analysis: progress at most 4 times a second": {"TestProgressIsReportedAtMostFourTimesASecond"},
	"analysis: replay of events": {
		"TestEventStreamReplays",
		"TestEventStreamResyncsAfterLogGap",
		"TestEventLog",
	},
	"billing: numbers and prices": {
		"tiers: the limits of every tier",
		"tiers: the prices",
		"TestPlansChangeEveryNumber",
	},
	"billing: trial ends, TRIAL_AUTO_GRANT": {
		"TestStateUserVerificationGrantsTheTrialAndItEnds",
		"TestTrialOnRequest",
	},
	"billing: proration and discount": {
		"TestUpgradeDeductsUnusedDaysAndRestartsThePeriod",
		"TestStateSubscriptionFeedbackDiscountsNextTwoRenewals",
	},
	"billing: providers": {"TestLedgerMovesNoMoney", "TestStripeChargesLatestCard"},
	"billing: owner mode": {
		"owner mode: every account is on Viral and pays nothing",
		"TestLaunch",
		"TestOwnerModeHasNothingToPay",
	},
	"program: settings":   {"TestWrongSettingsAreUsageErrors", "TestEverySettingHasOneRow"},
	"program: exit codes": {"TestAdminRefusesWrongCalls"},
	"rule: accounts": {
		"accounts: taken address or username, ignoring case",
		"TestLockoutRoundExpiresWithAnyWindow",
	},
	"rule: limits count right and wrong": {"limits count all permitted requests, successful or not"},
	"rule: OAuth": {
		"TestUnverifiedAccountIsResetBeforeLinking",
		"TestDeniedConsentIsReported",
	},
	"rule: SIGNUP":                  {"TestSignupModes"},
	"rule: upgrades and downgrades": {"TestUpgradeAndDowngradeDirections"},
	"rule: support and beta": {
		"TestSupportRequests",
		"TestOnlyAdminsGrantBeta",
		"TestBetaCreditsAreSpentFirstAndRenewed",
	},
	"rule: analyze, order among rules": {
		"projects: analyze checks its rules in order",
		"TestAnalysisRulesInOrder",
	},
	"rule: clips and assets": {
		"clips: accepted content types",
		"clips: a file that is not media fails with the reason",
		"TestUploads",
		"TestImportErrors",
	},
	"rule: edits": {
		"TestManualEditRules",
		"TestEditsAndReplan",
		"TestDetectedEditIsSwitchedOffNotDeleted",
	},
	"settings: merging": {"drafts: settings and overrides merge field by field"},
	"rule: exports": {
		"exports: defaults are size and shape as recorded and no captions, frozen at creation",
	},
	"rule: what bodies name, 404 or 403": {"TestInvalidIDsAreNotFound", "TestResourcesOfOthersInBodiesAreForbidden"},
	"storage: full disk": {
		"TestFullDiskRejectsOnlyWrites",
		"TestConfirmOnFullDiskKeepsUpload",
		"TestFullDisk",
	},
	"requests: hostile input": {"TestHostileBodiesCauseNoInternalError", "TestHostileQueriesCauseNoInternalError"},
	"resources: conflicts": {
		"TestResourceConflicts",
		"TestMissingLinkedFilesAreNotExported",
		"TestSearchReportsIndexRebuild",
	},
	"paths: versions": {"TestAddressesOutsideContract", "TestMediaAddresses"},
	"rule: search": {
		"TestSearchFindsWords",
		"TestSearchFindsOwnDataOnly",
		"TestSearchPagesHaveEveryHitOnce",
	},
	"concurrency: confirm, analysis and upgrade count once": {
		"TestConcurrentRequestsCountOnce",
		"TestParallelConfirmsAndAnalysesCountOnce",
	},
}

// TestEveryRuleHasItsTests looks up the tests of each rule. A test that is deleted or renamed must
// therefore also change here.
func TestEveryRuleHasItsTests(t *testing.T) {
	t.Parallel()
	var sources strings.Builder
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") || entry.Name() == "rule_catalog_test.go" {
			return nil
		}
		content, err := os.ReadFile(path)
		sources.Write(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for rule, tests := range ruleTests {
		for _, name := range tests {
			isCase := regexp.MustCompile(`\{\s*"` + regexp.QuoteMeta(name) + `"`)
			if !strings.Contains(sources.String(), "func "+name+"(t *testing.T)") &&
				!isCase.MatchString(sources.String()) {
				t.Errorf("rule %q: test %q does not exist", rule, name)
			}
		}
	}
}
