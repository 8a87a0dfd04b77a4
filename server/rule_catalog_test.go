package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// rows are the rows of the tables of the service's interface, by the numbers of its parts, and the
// rules of the decisions on its open points (d and their number), each with the tests that prove
// it: functions, or the names of rows within them. Beside them, every answer that the contract
// promises of an operation is looked for among those that the tests were given: see answeredAll.
var rows = map[string][]string{
	"1 conventions": {
		"TestShapesThatEveryAnswerShares",
		"TestEveryOperationGuardsItsThings",
		"TestIdsThatAreNone",
	},
	"2 fields of every record": {"TestRecordsHaveTheirFields", "TestNamesAreOneLineAndNotBlank"},
	"2 user": {
		"TestProfile",
		"accounts: a taken address or username, whatever its case",
		"TestUploads",
	},
	"2 billing status": {
		"TestStateUserVerificationGrantsTheTrialAndItEnds",
		"TestBetaCreditsAreSpentFirstAndRenewed",
		"plans: the numbers of every tier",
	},
	"2 project": {
		"project: none, create: created",
		"run: completed, activate: active, transcript copied",
	},
	"2 analysis run, light list": {"run: completed, activate: active, transcript copied"},
	"2 clip and clip file": {
		"TestMainFlow",
		"TestOrderOfClips",
		"clips: a clip whose data is no media fails with the reason",
	},
	"2 edit": {"TestManualEditRules", "edits: what a placed asset may be"},
	"2 draft": {
		"drafts: settings merge leaf by leaf, overrides too",
		"TestDraftsAndExports",
	},
	"2 export, expiry and watermark frozen": {
		"exports: without settings 1080p, 16:9, captions off; frozen at creation",
		"TestExportFreezesWhatHolds",
	},
	"2 export settings and audio defaults": {
		"exports: without settings 1080p, 16:9, captions off; frozen at creation",
		"TestBrokenRulesOfTheContractAreToldInWords",
	},
	"2 asset": {
		"TestAssetFlow",
		"TestAnAssetIsSeenFromItsConfirmOn",
		"asset: pending, processing finishes: uploaded",
	},
	"2 asset group":  {"TestGroupsOfAssets", "TestGroupsAndMembershipsAreWhatWasDone"},
	"2 caption line": {"TestCaptions"},
	"2 analysis preset": {
		"TestAnalysisPresets",
		"TestOneAnalysisPresetIsTheDefault",
		"TestBoundsOfPresets",
	},
	"2 preview preset": {"TestPreviewPresets", "TestBoundsOfPresets"},
	"4 signup": {
		"TestSignupToLogout",
		"TestSignupRefusals",
		"3 nobody with a password gets in before the address is verified",
		"TestMailsToUnprovenAddressesHoldNothingOfTheirSender",
	},
	"4 login": {
		"1 a login sets an HTTP-only cookie and returns a CSRF token",
		"TestLockoutDoublesAndHealsWithSuccess",
		"TestRefusalsSayHowLongToWait",
	},
	"4 reset-password": {
		"TestPasswordReset",
		"4 links carry signed tokens and a reset lives one hour",
		"6 change-password and reset-password end all sessions",
	},
	"4 OAuth start and callback": {
		"TestTheFirstSignInAtAProviderMakesAVerifiedAccountWithTrialAndSession",
		"TestAVerifiedAccountIsLinkedAndTold",
		"TestTheAddressOfTheProviderCarriesStatePKCEAndNonce",
		"TestSignInAtGitHub",
	},
	"4 change-password": {
		"TestChangePasswordEndsEverySessionAndToken",
		"TestTheFirstPasswordOfAnAccountNeedsNoOther",
	},
	"4 request-email-change and its confirmation": {
		"TestEmailChange",
		"TestEmailChangeTellsNothingAboutTakenAddresses",
		"TestEmailChangeIsRecheckedWhenItIsConfirmed",
	},
	"4 logout, logout-all, check-auth": {
		"TestSignupToLogout",
		"sessions: logout-all tells how many it ended",
		"TestLogoutAllEndsEverySession",
	},
	"4 send-verification, verify-email": {
		"TestMailRequestsTellNothing",
		"TestASecondLinkVerifiesAndWelcomesNobodyAgain",
	},
	"4 verify-password": {"TestVerifyPassword"},
	"4 schedule-downgrade": {
		"TestStateSubscriptionDowngradeIsAppliedAtRenewal",
		"TestAnUpgradeVoidsAScheduledDowngrade",
	},
	"4 cancellation-feedback": {
		"TestWhatWasSaidInTheCancellationFlowIsKept",
		"TestStateSubscriptionFeedbackCancelled",
	},
	"4 support-request":        {"TestSupportRequests"},
	"4 estimate-analysis-cost": {"TestCreditsRunOut", "TestMainFlow"},
	"4 upgrade charges the card": {
		"TestUpgradesThatTheCardCompanyDecides",
		"TestStripeChargesTheCardThatWasLeft",
		"TestAQuoteIsWhatTheUpgradeCharges",
	},
	"4 beta grant": {"TestOnlyAdminsGrantBeta"},
	"4 analyze": {
		"project: created, analyze: analyzing, credits reserved, pipeline queued",
		"projects: analyze refuses in the order of its rules",
	},
	"4 projects, newest first": {"TestProjectsAreListedInPages", "TestProjectLists"},
	"4 clip presign": {
		"422: size, type and quota at presign",
		"TestParametersOfAContentTypeDoNotMatter",
		"TestNamesOfFilesBecomeOneLine",
	},
	"4 clip video-import": {
		"TestImportOfAClip",
		"TestImportsThatAreRefused",
		"400: imports that are too long, wait too long or cannot be looked up",
	},
	"4 clip confirm": {
		"TestUploads",
		"TestQuotaIsDecidedByRealBytes",
		"TestADiskThatFillsUpAtTheConfirmLosesNothing",
	},
	"4 proxy URL, sprite, ranges": {
		"TestMediaAddresses",
		"TestFilesAnswerRangesAndConditions",
		"TestFilesThatAreGoneAreNotFound",
		"TestMediaOfClipsThatAreNotReady",
	},
	"4 edits": {
		"TestManualEditRules",
		"TestEditsAndReplan",
		"TestDetectedEditIsSwitchedOffNotDeleted",
		"TestTheAssetOfAnEditCanBeSwapped",
		"TestPlacedAssetsOverHTTP",
	},
	"4 drafts": {"400: bounds past the clips, or no clips", "TestDraftsAndExports"},
	"4 exports and their download": {
		"TestDraftAndExportRules",
		"TestDownload",
		"exports: 404 once expired",
	},
	"4 asset presign and confirm": {
		"TestAssetPresignIsRefused",
		"TestAssetConfirmRules",
		"TestAssetFlow",
	},
	"4 asset import": {"TestImportOfAnAsset"},
	"4 asset update, edit, delete": {
		"TestAssetEditsOverHTTP",
		"TestAssetEditRules",
		"TestAssetsAreLookedAtTrimmedAndReplaced",
		"TestEditsGoWithTheAssetThatTheyPlace",
	},
	"4 asset lists and video URL": {
		"TestAssetFiltersNarrowTogether",
		"TestAnAssetsAddressOpensNothingElse",
	},
	"4 groups and memberships": {"TestGroupsOfAssets", "TestAStrangersAssetsAndGroupsAreRefused"},
	"4 caption lines":          {"TestCaptions", "max_words: 2-20"},
	"4 presets": {
		"TestAnalysisPresets",
		"TestPreviewPresets",
		"TestPresetsOfTheOtherKindAreNotFound",
	},
	"3 user, email verification": {
		"TestStatesOfAUser",
		"email_verified=false: a valid token verifies, welcomes and grants the trial",
	},
	"3 user, new via OAuth": {
		"TestStatesOfAUser",
		"new via OAuth: verified, trial granted, session established",
	},
	"3 project, create": {"project: none, create: created"},
	"3 project, analyze": {
		"project: created, analyze: analyzing, credits reserved, pipeline queued",
	},
	"3 run, activate completed": {"run: completed, activate: active, transcript copied"},
	"3 run, activate any other": {"run: any other, activate: unchanged and 422"},
	"3 credits, analysis succeeds or fails": {
		"TestStateCreditsReservedThenDeductedOrReleased",
		"TestCreditLedger",
	},
	"3 asset, processing finishes": {
		"asset: pending, processing finishes: uploaded",
		"asset: pending, processing fails: failed with the reason",
	},
	"3 asset, edited copy": {
		"asset: edit into a copy: pending, then uploaded",
		"TestACopyIsAnAssetOfItsOwn",
	},
	"3 subscription, upgrade":            {"TestStateSubscriptionUpgradeChargesTheProratedPriceAtOnce"},
	"3 subscription, schedule downgrade": {"TestStateSubscriptionDowngradeIsAppliedAtRenewal"},
	"3 subscription, cancelled":          {"TestStateSubscriptionFeedbackCancelled"},
	"3 subscription, reminder, discount, kept": {
		"TestStateSubscriptionFeedbackReminderAndKeptPlan",
		"TestStateSubscriptionFeedbackDiscountIsOffTheNextTwoRenewals",
	},
	"3 subscription, activate trial": {"TestStateSubscriptionActivateTrial"},
	"5 authentication":               {"TestAuthenticationRules"},
	"6 stream, headers": {
		"events: headers of the stream",
		"TestEventStream",
		"TestAnEventStreamHasTheHeaderOfAnyAnswer",
	},
	"6 stream, owner only": {"events: somebody else's stream is 403, an unknown one 404"},
	"6 stream, frames and keepalive": {
		"TestEventStream",
		"TestEventStreamKeepsAliveAndEndsWithTheSession",
	},
	"6 events and payloads": {"TestEveryEventCarriesItsFields"},
	"7 400": {
		"400: bounds past the clips, or no clips",
		"400: asset edit past the asset",
		"400: imports that are too long, wait too long or cannot be looked up",
		"400: wrong password on verify-password",
		"TestLookUpIsBoundedInTime",
		"TestPageOfALongVideo",
	},
	"7 401": {"401: no valid session, expired media address"},
	"7 402": {"402: need X AI minutes, have Y", "TestInsufficientCredits"},
	"7 403": {
		"403: somebody else's, and login before verification",
		"TestEveryOperationGuardsItsThings",
	},
	"7 404": {"404: no such resource", "TestIdsThatAreNone"},
	"7 409": {
		"409: already analyzing",
		"409: trial already used",
		"409: new address taken at confirm-email-change",
	},
	"7 422": {
		"422: size, type and quota at presign",
		"422: end_ms <= start_ms",
		"422: activating a run that is not completed",
		"422: activating a run of another project",
	},
	"7 429": {
		"429: locked out, with Retry-After",
		"TestLimitsOfTheInterface",
		"TestEveryRateIsHeld",
		"TestLongRequestsAreBoundedAndEndWithTheServer",
	},
	"7 confirm over the quota": {
		"confirm over the quota fails and the object is gone",
		"TestQuotaIsDecidedByRealBytes",
	},
	"7 no enumeration": {
		"what mails a link tells nothing about addresses",
		"TestAnUnknownAddressTakesAsLongAsAWrongPassword",
	},
	"8 signup rate":                 {"signup rate: 5 per IP per 10 minutes"},
	"8 verification email rate":     {"verification email rate: 3 per IP per 5 minutes"},
	"8 password reset request rate": {"password reset request rate: 3 per IP per 5 minutes"},
	"8 change-password rate":        {"change-password rate: 5 per 300 s"},
	"8 email-change request rate":   {"email-change request rate: 3 per 300 s"},
	"8 login lockout": {
		"login lockout: base x 2^round up to the maximum",
		"5 lockout counts per IP",
		"5 lockout counts per username",
		"login lockout: the sixth failure within 900 s locks for 60 s",
	},
	"8 reset token lifetime": {"reset token lifetime: 1 hour"},
	"8 trial": {
		"trial: 7 days, 30 AI minutes, Creator tier",
		"trial: once per email even across deleted accounts",
		"TestATrialOutlivesItsAccount",
	},
	"8 per-file upload maximum": {"per-file upload maximum: 2 GiB", "TestUploads"},
	"8 tier storage quota": {
		"tier storage quota: 500 MiB, 2, 25 and 100 GiB",
		"plans: the numbers of every tier",
	},
	"8 presigned upload address": {"presigned upload address: 3600 s"},
	"8 media address":            {"media address: 300 s"},
	"8 asset playback address":   {"asset playback address: 1 hour"},
	"8 video import duration": {
		"video import: 60 minutes",
		"TestImportOfLongVideos",
		"TestPageOfALongVideo",
	},
	"8 pacing_level, false_start_sensitivity": {"pacing_level and false_start_sensitivity: 0-100"},
	"8 max_words":              {"max_words: 2-20"},
	"8 analysis presets":       {"analysis presets: 5 per user"},
	"8 main_volume_percent":    {"main_volume_percent: 0-100"},
	"8 event stream keepalive": {"event stream keepalive: 15 s"},
	"d1 contract and docs": {
		"TestContractIsValid",
		"TestEveryOperationIsRouted",
		"TestDocsShowEveryOperationAndSchema",
		"TestDocsCanBeReadByEverybody",
	},
	"d1 trailing slash": {"TestEveryPathAnswersWithAndWithoutASlash"},
	"d1 errors": {
		"errors are problems with type, title, status, detail and code",
		"TestFieldsOfAnUnprocessableBodyAreNamed",
		"TestBrokenRulesOfTheContractAreToldInWords",
		"TestPatternsAndFormatsOfTheContractHaveWords",
		"shapes: unknown fields are ignored, wrong types are 422",
	},
	"d1 order of checks": {"order of checks: 401, CSRF, 404, 403, 422, rules"},
	"d1 pagination": {
		"page size: 1-200, 50 by default",
		"TestShapesThatEveryAnswerShares",
		"TestProjectsAreListedInPages",
		"TestEveryListRefusesPagesThatAreNone",
	},
	"d1 timestamps and numbers": {"TestShapesThatEveryAnswerShares"},
	"d1 time": {
		"TestEditsStayOnTheirFootage",
		"TestNoOrderChangesWhatIsCut",
		"TestAPlacedAssetStaysInStepWithItsFootage",
	},
	"d2 cookie": {
		"sessions: 30 days, sliding; the cookie is Secure behind HTTPS",
		"TestASessionFromBeforeKeepsItsHashOnly",
	},
	"d2 CSRF": {
		"10 the CSRF token goes into the header X-CSRF-Token",
		"TestPagesOfOtherSitesReachNothingThatNeedsNoSession",
	},
	"d2 personal access tokens": {
		"TestTokensWorkWhereSessionsDo",
		"TestTokensAreListedUsedAndRevoked",
		"TestTokensExpire",
	},
	"d2 client IP": {"TestForwardedHeadersCountOnlyBehindTrustedProxies"},
	"d2 passwords": {
		"accounts: passwords have 10 to 200 characters of any kind",
		"TestPasswords",
	},
	"d3 answers": {
		"answers: operations without a documented body answer 204",
		"TestMainFlow",
		"TestAssetFlow",
		"TestDraftsAndExports",
	},
	"d4 records": {"TestRecordsHaveTheirFields"},
	"d4 project statuses": {
		"project: analyzing, failure or cancelling: where it was",
		"TestWhereAProjectReturnsTo",
	},
	"d4 placed assets": {"edits: what a placed asset may be", "TestPlacingRules"},
	"d4 exports":       {"exports: 404 once expired", "TestExportLife"},
	"d5 cost, once per run": {
		"TestCreditLedger",
		"TestFiftyAtOnceOverHTTP",
		"TestKilledAtRandom",
	},
	"d5 pacing and sensitivity":            {"TestThresholdAndAirMoveGeometrically", "TestFalseStarts"},
	"d5 progress at most 4 times a second": {"TestProgressIsToldAtMostFourTimesASecond"},
	"d5 replay of events": {
		"TestEventStreamReplays",
		"TestEventStreamResyncsWhatTheLogHasLost",
		"TestEventLog",
	},
	"d6 numbers and prices": {
		"plans: the numbers of every tier",
		"plans: the prices",
		"TestPlansChangeEveryNumber",
	},
	"d6 trial ends, TRIAL_AUTO_GRANT": {
		"TestStateUserVerificationGrantsTheTrialAndItEnds",
		"TestTrialOnRequest",
	},
	"d6 proration and discount": {
		"TestUpgradeCountsTheUnusedDaysAndRestartsThePeriod",
		"TestStateSubscriptionFeedbackDiscountIsOffTheNextTwoRenewals",
	},
	"d6 providers": {"TestTheLedgerMovesNoMoney", "TestStripeChargesTheCardThatWasLeft"},
	"d6 owner mode": {
		"owner mode: every account is on Viral and owes nothing",
		"TestLaunch",
		"TestOwnerModeHasNothingToPay",
	},
	"d7 settings":   {"TestWrongSettings", "TestEverySettingHasARowInTheREADME"},
	"d7 exit codes": {"TestAdminRefuses"},
	"d8 accounts": {
		"accounts: a taken address or username, whatever its case",
		"TestTheRoundOfALockIsForgottenWhateverTheWindow",
	},
	"d8 limits count right and wrong": {"limits count what was let through, right or wrong"},
	"d8 OAuth": {
		"TestAnAccountThatWasNeverVerifiedIsResetBeforeItIsLinked",
		"TestADeniedConsentIsTold",
	},
	"d8 SIGNUP":                  {"TestSIGNUPDecidesWhoMayMakeAnAccount"},
	"d8 upgrades and downgrades": {"TestOnlyAHigherPriceIsAnUpgradeAndOnlyALowerOneADowngrade"},
	"d8 support and beta": {
		"TestSupportRequests",
		"TestOnlyAdminsGrantBeta",
		"TestBetaCreditsAreSpentFirstAndRenewed",
	},
	"d8 analyze, order among rules": {
		"projects: analyze refuses in the order of its rules",
		"TestAnalysisRulesInOrder",
	},
	"d8 clips and assets": {
		"clips: types that may be uploaded",
		"clips: a clip whose data is no media fails with the reason",
		"TestUploads",
		"TestImportsThatAreRefused",
	},
	"d8 edits": {
		"TestManualEditRules",
		"TestEditsAndReplan",
		"TestDetectedEditIsSwitchedOffNotDeleted",
	},
	"d8 merging": {"drafts: settings merge leaf by leaf, overrides too"},
	"d8 exports": {
		"exports: without settings 1080p, 16:9, captions off; frozen at creation",
	},
	"d8 what bodies name, 404 or 403": {"TestIdsThatAreNone", "TestThingsOfOthersInBodiesAreForbidden"},
	"d8 a full disk": {
		"TestAFullDiskRefusesWhatNeedsSpaceAndNothingElse",
		"TestADiskThatFillsUpAtTheConfirmLosesNothing",
		"TestFullDisk",
	},
	"d8 whatever is sent is answered": {"TestNoBodyIsAFault", "TestNoQueryIsAFault"},
	"d8 what is in no other rule": {
		"TestConflictsThatNoOtherTestIsAbout",
		"TestRecordingsThatWentAwayAreNotExported",
		"TestSearchSaysThatItsIndexIsBeingBuilt",
	},
	"9 versions in paths": {"TestAddressesBeyondTheContract", "TestMediaAddresses"},
	"d8 search": {
		"TestSearchFindsWords",
		"TestNobodyFindsWhatOthersSaid",
		"TestPagesOfSearch",
	},
	"d8 confirm, analysis and upgrade count once": {
		"TestFiftyAtOnceOverHTTP",
		"TestParallelConfirmsAndAnalysesCountOnce",
	},
}

// TestEveryRowOfTheInterfaceIsProven looks each row's tests up, so that none goes away or is
// renamed without its row being thought of.
func TestEveryRowOfTheInterfaceIsProven(t *testing.T) {
	var text strings.Builder
	for _, pattern := range []string{"*_test.go", "*/*_test.go", "../*_test.go", "../store/*_test.go", "../pipeline/*_test.go", "../pipeline/*/*_test.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(names), err)
		}
		for _, name := range names {
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Base(name) != "rows_test.go" {
				text.Write(content)
			}
		}
	}
	for row, proofs := range rows {
		for _, proof := range proofs {
			if !strings.Contains(text.String(), "func "+proof+"(t *testing.T)") &&
				!strings.Contains(text.String(), `{"`+proof+`"`) {
				t.Errorf("%s: there is no %q", row, proof)
			}
		}
	}
}
