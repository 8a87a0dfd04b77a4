package store

import "time"

// Kinds of invoices.
const (
	InvoiceCharge    = "charge"    // the price of a period
	InvoiceProration = "proration" // unused days of a former plan, counted against a charge
	InvoiceDiscount  = "discount"
	InvoiceRefund    = "refund"
	InvoiceGrant     = "grant" // credits that cost nothing
)

// Statuses of invoices.
const (
	InvoicePaid = "paid"
	InvoiceOpen = "open" // nothing moved money: the operator settles it
)

// Invoice is an entry of a user's ledger of money. What somebody paid is the sum of the amounts.
type Invoice struct {
	UUID, UserUUID         string
	Kind, Description      string
	AmountCents            int64 // negative where it is in the user's favour
	Currency               string
	PeriodStart, PeriodEnd *time.Time // what it is for
	Status                 string
	CreatedAt              time.Time
}

// invoiceRow is an Invoice as it is stored.
type invoiceRow struct {
	Invoice
	Seq         uint64 // grows with every invoice: the order of lists
	PaymentUUID string // of what it is a part
	Reference   string // of a refund: the payment provider's id of it
}

var (
	invoicesByUser = &index[invoiceRow]{
		name: "invoices.by_user",
		keys: func(r *invoiceRow) [][]byte { return one(r.UserUUID, r.Seq) },
	}
	invoicesByReference = &index[invoiceRow]{
		name:   "invoices.by_reference",
		unique: true,
		keys: func(r *invoiceRow) [][]byte {
			if r.Reference == "" {
				return nil
			}
			return one(r.Reference)
		},
	}
	invoices = &table[invoiceRow]{
		name:    "invoices",
		what:    "invoice",
		key:     func(r *invoiceRow) []byte { return []byte(r.UUID) },
		indexes: []*index[invoiceRow]{invoicesByUser, invoicesByReference},
	}
)

// addInvoice writes an invoice. UUID, order, currency and time are set here.
func (t *txn) addInvoice(row invoiceRow) error {
	seq, err := invoices.next(t)
	if err != nil {
		return err
	}
	row.UUID = t.s.NewID()
	row.Seq = seq
	row.Currency = t.s.o.TierTable.Currency
	row.CreatedAt = t.now
	return invoices.put(t, &row)
}

// Invoices returns one page of a user's invoices, newest first, and how many there are in all.
func (s *Store) Invoices(userUUID string, page Page) ([]Invoice, int, error) {
	list, total := []Invoice{}, 0
	err := s.view(func(t *txn) error {
		rows, n, err := invoices.page(t, page, invoicesByUser, userUUID)
		for _, row := range rows {
			list = append(list, row.Invoice)
		}
		total = n
		return err
	})
	return list, total, err
}
