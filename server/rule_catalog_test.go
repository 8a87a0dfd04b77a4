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
		"TestShapesThatEveryAnswerShares",
		"TestEveryOperationGuardsItsThings",
		"TestIdsThatAreNone",
	},
	"record: fields of every record": {"TestRecordsHaveTheirFields", "TestNamesAreOneLineAndNotBlank"},
	"record: user": {
		"TestProfile",
		"accounts: a taken address or username, whatever its case",
		"TestUploads",
	},
	"record: billing status": {
		"TestStateUserVerificationGrantsTheTrialAndItEnds",
		"TestBetaCreditsAreSpentFirstAndRenewed",
		"plans: the numbers of every tier",
	},
	"record: project": {
		"project: none, create: created",
		"run: completed, activate: active, transcript copied",
	},
	"record: analysis run, light list": {"run: completed, activate: active, transcript copied"},
	"record: clip and clip file": {
		"TestMainFlow",
		"TestOrderOfClips",
		"clips: a clip whose data is no media fails with the reason",
	},
	"record: edit": {"TestManualEditRules", "edits: what a placed asset may be"},
	"record: draft": {
		"drafts: settings merge leaf by leaf, overrides too",
		"TestDraftsAndExports",
	},
	"record: export, expiry and watermark frozen": {
		"exports: without settings 1080p, 16:9, captions off; frozen at creation",
		"TestExportFreezesWhatHolds",
	},
	"record: export settings and audio defaults": {
		"exports: without settings 1080p, 16:9, captions off; frozen at creation",
		"TestBrokenRulesOfTheContractAreToldInWords",
	},
	"record: asset": {
		"TestAssetFlow",
		"TestAnAssetIsSeenFromItsConfirmOn",
		"asset: pending, processing finishes: uploaded",
	},
	"record: asset group":  {"TestGroupsOfAssets", "TestGroupsAndMembershipsAreWhatWasDone"},
	"record: caption line": {"TestCaptions"},
	"record: analysis preset": {
		"TestAnalysisPresets",
		"TestOneAnalysisPresetIsTheDefault",
		"TestBoundsOfPresets",
	},
	"record: preview preset": {"TestPreviewPresets", "TestBoundsOfPresets"},
	"operation: signup": {
		"TestSignupToLogout",
		"TestSignupRefusals",
		"3 nobody with a password gets in before the address is verified",
		"TestMailsToUnprovenAddressesHoldNothingOfTheirSender",
	},
	"operation: login": {
		"1 a login sets an HTTP-only cookie and returns a CSRF token",
		"TestLockoutDoublesAndHealsWithSuccess",
		"TestRefusalsSayHowLongToWait",
	},
	"operation: reset-password": {
		"TestPasswordReset",
		"4 links carry signed tokens and a reset lives one hour",
		"6 change-password and reset-password end all sessions",
	},
	"operation: OAuth start and callback": {
		"TestTheFirstSignInAtAProviderMakesAVerifiedAccountWithTrialAndSession",
		"TestAVerifiedAccountIsLinkedAndTold",
		"TestTheAddressOfTheProviderCarriesStatePKCEAndNonce",
		"TestSignInAtGitHub",
	},
	"operation: change-password": {
		"TestChangePasswordEndsEverySessionAndToken",
		"TestTheFirstPasswordOfAnAccountNeedsNoOther",
	},
	"operation: request-email-change and its confirmation": {
		"TestEmailChange",
		"TestEmailChangeTellsNothingAboutTakenAddresses",
		"TestEmailChangeIsRecheckedWhenItIsConfirmed",
	},
	"operation: logout, logout-all, check-auth": {
		"TestSignupToLogout",
		"sessions: logout-all tells how many it ended",
		"TestLogoutAllEndsEverySession",
	},
	"operation: send-verification, verify-email": {
		"TestMailRequestsTellNothing",
		"TestASecondLinkVerifiesAndWelcomesNobodyAgain",
	},
	"operation: verify-password": {"TestVerifyPassword"},
	"operation: schedule-downgrade": {
		"TestStateSubscriptionDowngradeIsAppliedAtRenewal",
		"TestAnUpgradeVoidsAScheduledDowngrade",
	},
	"operation: cancellation-feedback": {
		"TestWhatWasSaidInTheCancellationFlowIsKept",
		"TestStateSubscriptionFeedbackCancelled",
	},
	"operation: support-request":        {"TestSupportRequests"},
	"operation: estimate-analysis-cost": {"TestCreditsRunOut", "TestMainFlow"},
	"operation: upgrade charges the card": {
		"TestUpgradesThatTheCardCompanyDecides",
		"TestStripeChargesTheCardThatWasLeft",
		"TestAQuoteIsWhatTheUpgradeCharges",
	},
	"operation: beta grant": {"TestOnlyAdminsGrantBeta"},
	"operation: analyze": {
		"project: created, analyze: analyzing, credits reserved, pipeline queued",
		"projects: analyze refuses in the order of its rules",
	},
	"operation: projects, newest first": {"TestProjectsAreListedInPages", "TestProjectLists"},
	"operation: clip presign": {
		"422: size, type and quota at presign",
		"TestParametersOfAContentTypeDoNotMatter",
		"TestNamesOfFilesBecomeOneLine",
	},
	"operation: clip video-import": {
		"TestImportOfAClip",
		"TestImportsThatAreRefused",
		"400: imports that are too long, wait too long or cannot be looked up",
	},
	"operation: clip confirm": {
		"TestUploads",
		"TestQuotaIsDecidedByRealBytes",
		"TestADiskThatFillsUpAtTheConfirmLosesNothing",
	},
	"operation: proxy URL, sprite, ranges": {
		"TestMediaAddresses",
		"TestFilesAnswerRangesAndConditions",
		"TestFilesThatAreGoneAreNotFound",
		"TestMediaOfClipsThatAreNotReady",
	},
	"operation: edits": {
		"TestManualEditRules",
		"TestEditsAndReplan",
		"TestDetectedEditIsSwitchedOffNotDeleted",
		"TestTheAssetOfAnEditCanBeSwapped",
		"TestPlacedAssetsOverHTTP",
	},
	"operation: drafts": {"400: bounds past the clips, or no clips", "TestDraftsAndExports"},
	"operation: exports and their download": {
		"TestDraftAndExportRules",
		"TestDownload",
		"exports: 404 once expired",
	},
	"operation: asset presign and confirm": {
		"TestAssetPresignIsRefused",
		"TestAssetConfirmRules",
		"TestAssetFlow",
	},
	"operation: asset import": {"TestImportOfAnAsset"},
	"operation: asset update, edit, delete": {
		"TestAssetEditsOverHTTP",
		"TestAssetEditRules",
		"TestAssetsAreLookedAtTrimmedAndReplaced",
		"TestEditsGoWithTheAssetThatTheyPlace",
	},
	"operation: asset lists and video URL": {
		"TestAssetFiltersNarrowTogether",
		"TestAnAssetsAddressOpensNothingElse",
	},
	"operation: groups and memberships": {"TestGroupsOfAssets", "TestAStrangersAssetsAndGroupsAreRefused"},
	"operation: caption lines":          {"TestCaptions", "max_words: 2-20"},
	"operation: presets": {
		"TestAnalysisPresets",
		"TestPreviewPresets",
		"TestPresetsOfTheOtherKindAreNotFound",
	},
	"state: user, email verification": {
		"TestStatesOfAUser",
		"email_verified=false: a valid token verifies, welcomes and grants the trial",
	},
	"state: user, new via OAuth": {
		"TestStatesOfAUser",
		"new via OAuth: verified, trial granted, session established",
	},
	"state: project, create": {"project: none, create: created"},
	"state: project, analyze": {
		"project: created, analyze: analyzing, credits reserved, pipeline queued",
	},
	"state: run, activate completed": {"run: completed, activate: active, transcript copied"},
	"state: run, activate any other": {"run: any other, activate: unchanged and 422"},
	"state: credits, analysis succeeds or fails": {
		"TestStateCreditsReservedThenDeductedOrReleased",
		"TestCreditLedger",
	},
	"state: asset, processing finishes": {
		"asset: pending, processing finishes: uploaded",
		"asset: pending, processing fails: failed with the reason",
	},
	"state: asset, edited copy": {
		"asset: edit into a copy: pending, then uploaded",
		"TestACopyIsAnAssetOfItsOwn",
	},
	"state: subscription, upgrade":            {"TestStateSubscriptionUpgradeChargesTheProratedPriceAtOnce"},
	"state: subscription, schedule downgrade": {"TestStateSubscriptionDowngradeIsAppliedAtRenewal"},
	"state: subscription, cancelled":          {"TestStateSubscriptionFeedbackCancelled"},
	"state: subscription, reminder, discount, kept": {
		"TestStateSubscriptionFeedbackReminderAndKeptPlan",
		"TestStateSubscriptionFeedbackDiscountIsOffTheNextTwoRenewals",
	},
	"state: subscription, activate trial": {"TestStateSubscriptionActivateTrial"},
	"authentication":                      {"TestAuthenticationRules"},
	"events: stream, headers": {
		"events: headers of the stream",
		"TestEventStream",
		"TestAnEventStreamHasTheHeaderOfAnyAnswer",
	},
	"events: stream, owner only": {"events: somebody else's stream is 403, an unknown one 404"},
	"events: stream, frames and keepalive": {
		"TestEventStream",
		"TestEventStreamKeepsAliveAndEndsWithTheSession",
	},
	"events: events and payloads": {"TestEveryEventCarriesItsFields"},
	"status: 400": {
		"400: bounds past the clips, or no clips",
		"400: asset edit past the asset",
		"400: imports that are too long, wait too long or cannot be looked up",
		"400: wrong password on verify-password",
		"TestLookUpIsBoundedInTime",
		"TestPageOfALongVideo",
	},
	"status: 401": {"401: no valid session, expired media address"},
	"status: 402": {"402: need X AI minutes, have Y", "TestInsufficientCredits"},
	"status: 403": {
		"403: somebody else's, and login before verification",
		"TestEveryOperationGuardsItsThings",
	},
	"status: 404": {"404: no such resource", "TestIdsThatAreNone"},
	"status: 409": {
		"409: already analyzing",
		"409: trial already used",
		"409: new address taken at confirm-email-change",
	},
	"status: 422": {
		"422: size, type and quota at presign",
		"422: end_ms <= start_ms",
		"422: activating a run that is not completed",
		"422: activating a run of another project",
	},
	"status: 429": {
		"429: locked out, with Retry-After",
		"TestLimitsOfTheInterface",
		"TestEveryRateIsHeld",
		"TestLongRequestsAreBoundedAndEndWithTheServer",
	},
	"error: confirm over the quota": {
		"confirm over the quota fails and the object is gone",
		"TestQuotaIsDecidedByRealBytes",
	},
	"accounts: no enumeration": {
		"what mails a link tells nothing about addresses",
		"TestAnUnknownAddressTakesAsLongAsAWrongPassword",
	},
	"limit: signup rate":                 {"signup rate: 5 per IP per 10 minutes"},
	"limit: verification email rate":     {"verification email rate: 3 per IP per 5 minutes"},
	"limit: password reset request rate": {"password reset request rate: 3 per IP per 5 minutes"},
	"limit: change-password rate":        {"change-password rate: 5 per 300 s"},
	"limit: email-change request rate":   {"email-change request rate: 3 per 300 s"},
	"limit: login lockout": {
		"login lockout: base x 2^round up to the maximum",
		"5 lockout counts per IP",
		"5 lockout counts per username",
		"login lockout: the sixth failure within 900 s locks for 60 s",
	},
	"limit: reset token lifetime": {"reset token lifetime: 1 hour"},
	"limit: trial": {
		"trial: 7 days, 30 AI minutes, Creator tier",
		"trial: once per email even across deleted accounts",
		"TestATrialOutlivesItsAccount",
	},
	"limit: per-file upload maximum": {"per-file upload maximum: 2 GiB", "TestUploads"},
	"limit: tier storage quota": {
		"tier storage quota: 500 MiB, 2, 25 and 100 GiB",
		"plans: the numbers of every tier",
	},
	"limit: presigned upload address": {"presigned upload address: 3600 s"},
	"limit: media address":            {"media address: 300 s"},
	"limit: asset playback address":   {"asset playback address: 1 hour"},
	"limit: video import duration": {
		"video import: 60 minutes",
		"TestImportOfLongVideos",
		"TestPageOfALongVideo",
	},
	"limit: pacing_level, false_start_sensitivity": {"pacing_level and false_start_sensitivity: 0-100"},
	"limit: max_words":              {"max_words: 2-20"},
	"limit: analysis presets":       {"analysis presets: 5 per user"},
	"limit: main_volume_percent":    {"main_volume_percent: 0-100"},
	"limit: event stream keepalive": {"event stream keepalive: 15 s"},
	"convention: contract and docs": {
		"TestContractIsValid",
		"TestEveryOperationIsRouted",
		"TestDocsShowEveryOperationAndSchema",
		"TestDocsCanBeReadByEverybody",
	},
	"convention: trailing slash": {"TestEveryPathAnswersWithAndWithoutASlash"},
	"convention: errors": {
		"errors are problems with type, title, status, detail and code",
		"TestFieldsOfAnUnprocessableBodyAreNamed",
		"TestBrokenRulesOfTheContractAreToldInWords",
		"TestPatternsAndFormatsOfTheContractHaveWords",
		"shapes: unknown fields are ignored, wrong types are 422",
	},
	"convention: order of checks": {"order of checks: 401, CSRF, 404, 403, 422, rules"},
	"convention: pagination": {
		"page size: 1-200, 50 by default",
		"TestShapesThatEveryAnswerShares",
		"TestProjectsAreListedInPages",
		"TestEveryListRefusesPagesThatAreNone",
	},
	"convention: timestamps and numbers": {"TestShapesThatEveryAnswerShares"},
	"convention: time": {
		"TestEditsStayOnTheirFootage",
		"TestNoOrderChangesWhatIsCut",
		"TestAPlacedAssetStaysInStepWithItsFootage",
	},
	"session: cookie": {
		"sessions: 30 days, sliding; the cookie is Secure behind HTTPS",
		"TestASessionFromBeforeKeepsItsHashOnly",
	},
	"session: CSRF": {
		"10 the CSRF token goes into the header X-CSRF-Token",
		"TestPagesOfOtherSitesReachNothingThatNeedsNoSession",
	},
	"session: personal access tokens": {
		"TestTokensWorkWhereSessionsDo",
		"TestTokensAreListedUsedAndRevoked",
		"TestTokensExpire",
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
		"project: analyzing, failure or cancelling: where it was",
		"TestWhereAProjectReturnsTo",
	},
	"record: placed assets": {"edits: what a placed asset may be", "TestPlacingRules"},
	"record: exports":       {"exports: 404 once expired", "TestExportLife"},
	"analysis: cost, once per run": {
		"TestCreditLedger",
		"TestFiftyAtOnceOverHTTP",
		"TestKilledAtRandom",
	},
	"analysis: pacing and sensitivity":            {"TestThresholdAndAirMoveGeometrically", "TestFalseStarts"},
	"analysis: progress at most 4 times a second": {"TestProgressIsToldAtMostFourTimesASecond"},
	"analysis: replay of events": {
		"TestEventStreamReplays",
		"TestEventStreamResyncsWhatTheLogHasLost",
		"TestEventLog",
	},
	"billing: numbers and prices": {
		"plans: the numbers of every tier",
		"plans: the prices",
		"TestPlansChangeEveryNumber",
	},
	"billing: trial ends, TRIAL_AUTO_GRANT": {
		"TestStateUserVerificationGrantsTheTrialAndItEnds",
		"TestTrialOnRequest",
	},
	"billing: proration and discount": {
		"TestUpgradeCountsTheUnusedDaysAndRestartsThePeriod",
		"TestStateSubscriptionFeedbackDiscountIsOffTheNextTwoRenewals",
	},
	"billing: providers": {"TestTheLedgerMovesNoMoney", "TestStripeChargesTheCardThatWasLeft"},
	"billing: owner mode": {
		"owner mode: every account is on Viral and owes nothing",
		"TestLaunch",
		"TestOwnerModeHasNothingToPay",
	},
	"program: settings":   {"TestWrongSettings", "TestEverySettingHasARowInTheREADME"},
	"program: exit codes": {"TestAdminRefuses"},
	"rule: accounts": {
		"accounts: a taken address or username, whatever its case",
		"TestTheRoundOfALockIsForgottenWhateverTheWindow",
	},
	"rule: limits count right and wrong": {"limits count what was let through, right or wrong"},
	"rule: OAuth": {
		"TestAnAccountThatWasNeverVerifiedIsResetBeforeItIsLinked",
		"TestADeniedConsentIsTold",
	},
	"rule: SIGNUP":                  {"TestSIGNUPDecidesWhoMayMakeAnAccount"},
	"rule: upgrades and downgrades": {"TestOnlyAHigherPriceIsAnUpgradeAndOnlyALowerOneADowngrade"},
	"rule: support and beta": {
		"TestSupportRequests",
		"TestOnlyAdminsGrantBeta",
		"TestBetaCreditsAreSpentFirstAndRenewed",
	},
	"rule: analyze, order among rules": {
		"projects: analyze refuses in the order of its rules",
		"TestAnalysisRulesInOrder",
	},
	"rule: clips and assets": {
		"clips: types that may be uploaded",
		"clips: a clip whose data is no media fails with the reason",
		"TestUploads",
		"TestImportsThatAreRefused",
	},
	"rule: edits": {
		"TestManualEditRules",
		"TestEditsAndReplan",
		"TestDetectedEditIsSwitchedOffNotDeleted",
	},
	"settings: merging": {"drafts: settings merge leaf by leaf, overrides too"},
	"rule: exports": {
		"exports: without settings 1080p, 16:9, captions off; frozen at creation",
	},
	"rule: what bodies name, 404 or 403": {"TestIdsThatAreNone", "TestThingsOfOthersInBodiesAreForbidden"},
	"storage: full disk": {
		"TestAFullDiskRefusesWhatNeedsSpaceAndNothingElse",
		"TestADiskThatFillsUpAtTheConfirmLosesNothing",
		"TestFullDisk",
	},
	"requests: hostile input": {"TestNoBodyIsAFault", "TestNoQueryIsAFault"},
	"resources: conflicts": {
		"TestConflictsThatNoOtherTestIsAbout",
		"TestRecordingsThatWentAwayAreNotExported",
		"TestSearchSaysThatItsIndexIsBeingBuilt",
	},
	"paths: versions": {"TestAddressesBeyondTheContract", "TestMediaAddresses"},
	"rule: search": {
		"TestSearchFindsWords",
		"TestNobodyFindsWhatOthersSaid",
		"TestPagesOfSearch",
	},
	"concurrency: confirm, analysis and upgrade count once": {
		"TestFiftyAtOnceOverHTTP",
		"TestParallelConfirmsAndAnalysesCountOnce",
	},
}

// TestEveryRuleHasItsTests looks up the tests of each rule. A test that is deleted or renamed must
// therefore also change here.
func TestEveryRuleHasItsTests(t *testing.T) {
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
