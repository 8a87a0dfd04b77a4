// Package pages reads the pages of a bbolt database without bbolt. bbolt trusts its pages: on
// damaged ones it panics, never returns, or takes all memory. This package finds the damage first.
//
// A database is an array of pages of equal size. Pages 0 and 1 hold meta records; the record of the
// last transaction counts. It names the root bucket and the list of free pages. A bucket is a tree:
// branch pages hold keys and children, leaf pages keys and values. A value can be another bucket,
// which is a separate tree or, if it is small, one page inside the value. A page header has the
// number of the page, its type, the number of its elements, and how many of the following pages
// belong to it.
package pages

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
)

// Layout of a database. Numbers have the byte order of the machine.
const (
	headerSize  = 16
	elementSize = 16
	bucketSize  = 16
	metaSize    = 64
	checksumAt  = 56

	magic   = 0xED0CDAED
	version = 2

	branchPage   = 0x01
	leafPage     = 0x02
	metaPage     = 0x04
	freePage     = 0x10
	bucketValue  = 0x01
	manyElements = 0xFFFF // the number of free pages follows the header

	minPageSize, maxPageSize = 512, 1 << 20
	maxDepth                 = 64 // of trees and nested buckets
)

// meta is a meta record.
type meta struct {
	pageSize   int64
	root       uint64
	free       uint64 // page of the list of free pages
	pages      uint64 // in use or free; the file can be longer
	checkpoint uint64 // number of the transaction that wrote the record
}

// page is a page with the pages that belong to it.
type page struct {
	id    uint64
	kind  uint16
	count int
	more  uint64 // pages that follow and belong to it
	data  []byte // the whole page with its header
}

// Check reads every page of a database that is in use and returns the first damage. unused is the
// number of pages that are neither in use nor free, which cost space and nothing else. No
// transaction may write at the same time.
func Check(file io.ReaderAt) (unused int, err error) {
	m, err := readMeta(file)
	if err != nil {
		return 0, err
	}
	c := &checker{file: file, meta: m, seen: make([]bool, m.pages)}
	c.seen[0], c.seen[1] = true, true
	if err := c.freeList(); err != nil {
		return 0, err
	}
	if err := c.tree(m.root, bounds{}, 0); err != nil {
		return 0, err
	}
	for _, seen := range c.seen {
		if !seen {
			unused++
		}
	}

	return unused, nil
}

// CheckHead checks what every write transaction relies on: the meta records and the header of the
// list of free pages. It reads three pages.
func CheckHead(file io.ReaderAt) error {
	m, err := readMeta(file)
	if err != nil {
		return err
	}
	_, err = (&checker{file: file, meta: m}).header(m.free, freePage)
	return err
}

// readMeta returns the meta record that counts.
func readMeta(file io.ReaderAt) (meta, error) {
	first, err := metaAt(file, 0)
	sizes := []int64{first.pageSize}
	if err != nil { // then the second is at one of the usual places
		sizes = []int64{4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10}
	}
	for _, size := range sizes {
		second, fault := metaAt(file, size)
		switch {
		case fault == nil && (err != nil || second.checkpoint > first.checkpoint):
			return second, nil
		case err == nil:
			return first, nil
		}
	}

	return meta{}, err
}

func metaAt(file io.ReaderAt, offset int64) (m meta, err error) {
	var raw [headerSize + metaSize]byte
	if _, err := file.ReadAt(raw[:], offset); err != nil {
		return m, fmt.Errorf("a meta record cannot be read: %w", err)
	}
	record := raw[headerSize:]
	sum := fnv.New64a()
	_, _ = sum.Write(record[:checksumAt]) // cannot fail
	if number32(record) != magic || number32(record[4:]) != version ||
		number64(record[checksumAt:]) != sum.Sum64() || number16(raw[8:]) != metaPage {
		return m, errors.New("no meta record has its checksum")
	}

	m = meta{
		pageSize:   int64(number32(record[8:])),
		root:       number64(record[16:]),
		free:       number64(record[32:]),
		pages:      number64(record[40:]),
		checkpoint: number64(record[48:]),
	}
	if m.pageSize < minPageSize || m.pageSize > maxPageSize || m.pages < 4 || m.pages > 1<<48/uint64(m.pageSize) {
		return m, errors.New("a meta record has impossible sizes")
	}
	return m, nil
}

// checker reads the pages of one database.
type checker struct {
	file io.ReaderAt
	meta meta
	seen []bool // by page
}

// bounds limit the keys of a subtree: from low, and below high. nil stands for an open end.
type bounds struct{ low, high []byte }

// header reads the header of a page that must have one of the given types.
func (c *checker) header(id uint64, kinds uint16) (p page, err error) {
	if id < 2 || id >= c.meta.pages {
		return p, fmt.Errorf("page %d is outside the database of %d pages", id, c.meta.pages)
	}
	var raw [headerSize]byte
	if _, err := c.file.ReadAt(raw[:], int64(id)*c.meta.pageSize); err != nil {
		return p, fmt.Errorf("page %d cannot be read: %w", id, err)
	}
	p = page{
		id:    number64(raw[:]),
		kind:  number16(raw[8:]),
		count: int(number16(raw[10:])),
		more:  uint64(number32(raw[12:])),
	}
	switch {
	case p.id != id:
		return p, fmt.Errorf("page %d says that it is page %d", id, p.id)
	case p.kind&kinds == 0 || p.kind&(p.kind-1) != 0:
		return p, fmt.Errorf("page %d has the type %#x", id, p.kind)
	case id+p.more >= c.meta.pages:
		return p, fmt.Errorf("page %d continues beyond the database", id)
	}

	return p, nil
}

// read reads a page with the pages that belong to it, once.
func (c *checker) read(id uint64, kinds uint16) (page, error) {
	p, err := c.header(id, kinds)
	if err != nil {
		return p, err
	}
	for n := id; n <= id+p.more; n++ {
		if c.seen[n] {
			return p, fmt.Errorf("page %d is used twice", n)
		}
		c.seen[n] = true
	}

	p.data = make([]byte, int64(p.more+1)*c.meta.pageSize)
	if _, err := c.file.ReadAt(p.data, int64(id)*c.meta.pageSize); err != nil {
		return p, fmt.Errorf("page %d cannot be read: %w", id, err)
	}
	return p, nil
}

// freeList checks the list of free pages.
func (c *checker) freeList() error {
	p, err := c.read(c.meta.free, freePage)
	if err != nil {
		return err
	}
	list, count := p.data[headerSize:], uint64(p.count)
	if p.count == manyElements {
		count, list = number64(list), list[8:]
	}
	if count > uint64(len(list))/8 {
		return fmt.Errorf("the list of free pages has %d entries, more than its pages hold", count)
	}
	for i := range count {
		id := number64(list[8*i:])
		if id < 2 || id >= c.meta.pages || c.seen[id] {
			return fmt.Errorf("page %d is in the list of free pages and in use, or does not exist", id)
		}
		c.seen[id] = true
	}

	return nil
}

// tree checks a page of a bucket and all pages below it.
func (c *checker) tree(id uint64, keys bounds, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("page %d is deeper than %d levels", id, maxDepth)
	}
	p, err := c.read(id, branchPage|leafPage)
	if err != nil {
		return err
	}
	if p.kind == leafPage {
		return c.leaf(p, keys, depth)
	}
	return c.branch(p, keys, depth)
}

// branch checks a branch page. The keys of a child begin at its key in the branch page.
func (c *checker) branch(p page, keys bounds, depth int) error {
	if p.count == 0 {
		return fmt.Errorf("page %d has no children", p.id)
	}
	var children []uint64
	var firsts [][]byte
	for i := range p.count {
		element, err := p.element(i)
		if err != nil {
			return err
		}
		key, _, err := p.content(i, number32(element), number32(element[4:]), 0)
		if err != nil {
			return err
		}
		if keys.low, err = p.follow(i, key, keys); err != nil {
			return err
		}
		children, firsts = append(children, number64(element[8:])), append(firsts, key)
	}

	for i, child := range children {
		below := bounds{firsts[i], keys.high}
		if i+1 < len(firsts) {
			below.high = firsts[i+1]
		}
		if err := c.tree(child, below, depth+1); err != nil {
			return err
		}
	}

	return nil
}

// leaf checks a leaf page, and the buckets in its values.
func (c *checker) leaf(p page, keys bounds, depth int) error {
	for i := range p.count {
		element, err := p.element(i)
		if err != nil {
			return err
		}
		key, value, err := p.content(i, number32(element[4:]), number32(element[8:]), number32(element[12:]))
		if err != nil {
			return err
		}
		if keys.low, err = p.follow(i, key, keys); err != nil {
			return err
		}
		switch flags := number32(element); {
		case flags == bucketValue:
			if err := c.bucket(p, value, depth); err != nil {
				return err
			}
		case flags != 0:
			return fmt.Errorf("page %d has the unknown flags %#x", p.id, flags)
		}
	}

	return nil
}

// bucket checks the bucket in a value.
func (c *checker) bucket(in page, value []byte, depth int) error {
	if len(value) < bucketSize {
		return fmt.Errorf("page %d has a bucket of %d bytes", in.id, len(value))
	}
	if root := number64(value); root != 0 {
		return c.tree(root, bounds{}, depth+1)
	}
	inline := value[bucketSize:]
	if len(inline) < headerSize || number16(inline[8:]) != leafPage || depth >= maxDepth {
		return fmt.Errorf("page %d has a damaged bucket", in.id)
	}
	p := page{id: in.id, kind: leafPage, count: int(number16(inline[10:])), data: inline}
	return c.leaf(p, bounds{}, depth+1)
}

// element returns an element of the table that follows the header.
func (p page) element(i int) ([]byte, error) {
	at := headerSize + i*elementSize
	if at+elementSize > len(p.data) {
		return nil, fmt.Errorf("page %d has %d elements, more than it holds", p.id, p.count)
	}
	return p.data[at : at+elementSize], nil
}

// content returns the key and the value of an element. The position counts from the element.
func (p page) content(i int, position, keySize, valueSize uint32) (key, value []byte, err error) {
	start := uint64(headerSize+i*elementSize) + uint64(position)
	middle := start + uint64(keySize)
	end := middle + uint64(valueSize)
	if keySize == 0 || end > uint64(len(p.data)) {
		return nil, nil, fmt.Errorf("page %d has an element outside it", p.id)
	}
	return p.data[start:middle], p.data[middle:end], nil
}

// follow checks that a key is in order and within the bounds. It returns the key.
func (p page) follow(i int, key []byte, keys bounds) ([]byte, error) {
	order := bytes.Compare(key, keys.low)
	if order < 0 || (order == 0 && i > 0) || (keys.high != nil && bytes.Compare(key, keys.high) >= 0) {
		return nil, fmt.Errorf("page %d has its keys out of order", p.id)
	}
	return key, nil
}

func number16(b []byte) uint16 { return binary.NativeEndian.Uint16(b) }
func number32(b []byte) uint32 { return binary.NativeEndian.Uint32(b) }
func number64(b []byte) uint64 { return binary.NativeEndian.Uint64(b) }
