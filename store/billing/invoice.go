package billing

import (
	"time"

	"roughcut/store/table"
)

// Kinds of invoices.
const (
	InvoiceCharge    = "charge"    // the price of a period
	InvoiceProration = "proration" // value of unused days, deducted from a charge
	InvoiceDiscount  = "discount"
	InvoiceRefund    = "refund"
	InvoiceGrant     = "grant" // free credits
)

// Statuses of invoices.
const (
	InvoicePaid = "paid"
	InvoiceOpen = "open" // no provider moved money: the operator collects it
)

// Invoice is an entry of a user's payment ledger. The amounts add up to what the user paid.
type Invoice struct {
	UUID, UserUUID         string
	Kind, Description      string
	AmountCents            int64 // negative in the user's favor
	Currency               string
	PeriodStart, PeriodEnd *time.Time // covered by the invoice
	Status                 string
	CreatedAt              time.Time
}

// invoiceRow is the stored form of an Invoice.
type invoiceRow struct {
	Invoice
	Seq         uint64 // grows with every invoice; lists sort by it
	PaymentUUID string // the payment that the invoice is a part of
	Reference   string // of a refund: its id at the payment provider
}

var (
	invoicesByUser = &table.Index[invoiceRow]{
		Name: "invoices.by_user",
		Keys: func(r *invoiceRow) [][]byte { return table.Entry(r.UserUUID, r.Seq) },
	}
	invoicesByReference = &table.Index[invoiceRow]{
		Name:   "invoices.by_reference",
		Unique: true,
		Keys: func(r *invoiceRow) [][]byte {
			if r.Reference == "" {
				return nil
			}
			return table.Entry(r.Reference)
		},
	}
	invoices = &table.Table[invoiceRow]{
		Name:    "invoices",
		Noun:    "invoice",
		Key:     func(r *invoiceRow) []byte { return []byte(r.UUID) },
		Indexes: []*table.Index[invoiceRow]{invoicesByUser, invoicesByReference},
	}
)

// addInvoice writes an invoice. It sets UUID, Seq, Currency and CreatedAt.
func (b Books) addInvoice(row invoiceRow) error {
	seq, err := invoices.NextSeq(b)
	if err != nil {
		return err
	}
	row.UUID = b.NewID()
	row.Seq = seq
	row.Currency = b.Currency
	row.CreatedAt = b.Now
	return invoices.Put(b, &row)
}

// Invoices returns one page of a user's invoices, newest first, and the number of all.
func (b Books) Invoices(userUUID string, page table.Page) ([]Invoice, int, error) {
	list := []Invoice{}
	rows, total, err := invoices.Page(b, page, invoicesByUser, userUUID)
	for _, row := range rows {
		list = append(list, row.Invoice)
	}
	return list, total, err
}
