package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/crypto/argon2"

	"roughcut/server/gate"
	"roughcut/store"
)

// HashCost holds the argon2id parameters of new hashes. Each hash stores its own parameters, so an
// increase does not lock out anyone.
type HashCost struct {
	MemoryKiB, Passes uint32
	Threads           uint8
}

// DefaultHashCost is the cost of a server's password hashes.
var DefaultHashCost = HashCost{MemoryKiB: 64 * 1024, Passes: 2, Threads: 2}

const (
	saltBytes = 16
	keyBytes  = 32
)

// Bounds on the parameters of a stored hash. They stop a damaged hash from using all memory or
// time.
const (
	maxArgonMemoryKiB = 1024 * 1024
	maxArgonPasses    = 64
)

// Passwords hashes and verifies passwords. It limits the number of parallel hashes, because each
// needs the memory of its cost, and the number of callers that wait for one.
type Passwords struct {
	gate  *gate.Gate
	cost  HashCost
	dummy string
}

// queueRetry is when a caller that found the queue full should come again. At the default cost, 20
// hashes take a few seconds.
const queueRetry = 5 * time.Second

// NewPasswords returns a Passwords that computes at most concurrent hashes in parallel.
func NewPasswords(concurrent int, cost HashCost) (*Passwords, error) {
	random := make([]byte, saltBytes+keyBytes) // random bytes that match no password
	if _, err := rand.Read(random); err != nil {
		return nil, fmt.Errorf("create a salt: %w", err)
	}
	running := max(1, concurrent)
	return &Passwords{
		gate: gate.New(gate.Limits{
			Running: running, Waiting: 20, UserRunning: running,
			UserWaiting: 10, // so that one client cannot fill the queue
			Wait:        time.Minute,
		}),
		cost:  cost,
		dummy: cost.phc(random[:saltBytes], random[saltBytes:]),
	}, nil
}

// phc formats a hash and its parameters as a PHC string.
func (c HashCost) phc(salt, key []byte) string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.MemoryKiB, c.Passes, c.Threads,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key))
}

// Hash returns the PHC string of an argon2id hash with a new salt. It waits for a free slot. client
// identifies the caller, because clients take turns. Errors: RateLimited rate_limited when too many
// callers wait, or after a minute; the cause of ctx.
func (p *Passwords) Hash(ctx context.Context, client, password string) (string, error) {
	salt := make([]byte, saltBytes)
	if _, err := rand.Read(salt); err != nil {
		return "", fmt.Errorf("create a salt: %w", err)
	}
	leave, err := p.enter(ctx, client)
	if err != nil {
		return "", err
	}
	defer leave()
	return p.cost.phc(
		salt,
		argon2.IDKey([]byte(password), salt, p.cost.Passes, p.cost.MemoryKiB, p.cost.Threads, keyBytes),
	), nil
}

// Verify reports whether a password matches a hash. An empty hash stands for a missing account or
// password: it takes as long as any other and never matches. Verify waits as Hash does. It then
// calls allowed, so that parallel attempts see the failures of earlier ones.
func (p *Passwords) Verify(
	ctx context.Context,
	client, hash, password string,
	allowed func() error,
) (bool, error) {
	known := hash != ""
	if !known {
		hash = p.dummy
	}
	parsed, err := parseHash(hash)
	if err != nil {
		return false, err
	}
	leave, err := p.enter(ctx, client)
	if err != nil {
		return false, err
	}
	defer leave()
	if err := allowed(); err != nil {
		return false, err
	}
	key := argon2.IDKey(
		[]byte(password),
		parsed.salt,
		parsed.passes,
		parsed.memoryKiB,
		parsed.threads,
		uint32(len(parsed.key)),
	)
	return subtle.ConstantTimeCompare(key, parsed.key) == 1 && known, nil
}

// enter waits for the turn of a client.
func (p *Passwords) enter(ctx context.Context, client string) (leave func(), err error) {
	leave, err = p.gate.Enter(ctx, client)
	if errors.Is(err, gate.ErrBusy) {
		return nil, &store.Error{
			Kind:       store.RateLimited,
			Code:       "rate_limited",
			Message:    "Too many people are signing in at the moment. Try again in a few seconds.",
			RetryAfter: queueRetry,
		}
	}

	if err != nil {
		return nil, fmt.Errorf("wait for a free password hash: %w", err)
	}
	return leave, nil
}

// Waiting returns the number of callers that wait for a hash.
func (p *Passwords) Waiting() int { return p.gate.Waiting() }

type passwordHash struct {
	memoryKiB, passes uint32
	threads           uint8
	salt, key         []byte
}

func parseHash(phc string) (passwordHash, error) {
	var h passwordHash
	var version int
	parts := strings.Split(phc, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return h, errors.New("the stored password hash is not an argon2id hash")
	}
	if n, err := fmt.Sscanf(parts[2], "v=%d", &version); n != 1 || err != nil || version != argon2.Version {
		return h, errors.New("the stored password hash has an unknown argon2 version")
	}
	if n, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &h.memoryKiB, &h.passes, &h.threads); n != 3 || err != nil {
		return h, errors.New("the stored password hash has unreadable parameters")
	}
	if h.memoryKiB == 0 || h.memoryKiB > maxArgonMemoryKiB || h.passes == 0 || h.passes > maxArgonPasses ||
		h.threads == 0 {
		return h, errors.New("the stored password hash has parameters out of range")
	}

	var err error
	if h.salt, err = base64.RawStdEncoding.DecodeString(parts[4]); err != nil {
		return h, fmt.Errorf("the stored password hash has an unreadable salt: %w", err)
	}
	if h.key, err = base64.RawStdEncoding.DecodeString(parts[5]); err != nil || len(h.key) < 16 {
		return h, errors.New("the stored password hash has an unreadable key")
	}
	return h, nil
}
