package libav

import (
	"context"

	"github.com/asticode/go-astiav"
	"golang.org/x/sync/semaphore"
)

// queuedBytes limits the bytes of the packets in one packetQueue. A larger packet waits until the
// queue is empty.
const queuedBytes = 64 << 20

// packetQueue passes packets from the goroutine that reads them to one that decodes them. It is
// limited in packets and in bytes: one frame of a lossless recording can have tens of megabytes.
type packetQueue struct {
	packets chan *astiav.Packet
	room    *semaphore.Weighted
}

func newPacketQueue(packets int) *packetQueue {
	return &packetQueue{make(chan *astiav.Packet, packets), semaphore.NewWeighted(queuedBytes)}
}

func packetWeight(p *astiav.Packet) int64 { return min(int64(p.Size()), queuedBytes) }

// send passes on a packet, or frees it if ctx ends first.
func (q *packetQueue) send(ctx context.Context, p *astiav.Packet) error {
	if err := q.room.Acquire(ctx, packetWeight(p)); err != nil {
		p.Free()
		return context.Cause(ctx)
	}

	select {
	case q.packets <- p:
		return nil
	case <-ctx.Done():
		p.Free()
		return context.Cause(ctx)
	}
}

// next returns the next packet, which the caller owns. ok is false after the last one.
func (q *packetQueue) next() (p *astiav.Packet, ok bool) {
	if p, ok = <-q.packets; ok {
		q.room.Release(packetWeight(p))
	}
	return p, ok
}

// close says that no packet follows.
func (q *packetQueue) close() { close(q.packets) }

// discard frees the packets left in a closed queue.
func (q *packetQueue) discard() {
	for p, ok := q.next(); ok; p, ok = q.next() {
		p.Free()
	}
}
