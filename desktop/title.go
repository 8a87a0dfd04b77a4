package desktop

import (
	"cmp"
	"fmt"
	"regexp"
)

// activity is the start of a page's title while the page shows the progress of some work.
var activity = regexp.MustCompile(`^(\p{L}+ )+(%\pN+|\pN+\p{Z}?[%٪]\p{Cf}?) · `)

// title returns the title of a page with the progress of the exports, unless the page shows one.
func title(page string, progress float64) string {
	page = cmp.Or(page, "Roughcut")
	if progress < 0 || activity.MatchString(page) {
		return page
	}
	return fmt.Sprintf("Exporting %d%% · %s", int(progress*100), page)
}
