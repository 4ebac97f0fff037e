package plan

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/momtree/mom/internal/crypt"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/sqlite"
	"github.com/momtree/mom/topology/plan"
)

// calibrateFor is how long each unit cost is measured.
const calibrateFor = 700 * time.Millisecond

// calibrate measures the costs that need no network: the codec, the store and sign-ins. The others
// keep their values.
func calibrate(ctx context.Context, costs plan.Costs) error {
	for _, m := range []struct {
		name    string
		measure func(context.Context) (time.Duration, error)
	}{{"codec_cpu", codecCost}, {"row_cpu", rowCost}, {"signin_cpu", signInCost}} {
		d, err := m.measure(ctx)
		if err != nil {
			return fmt.Errorf("measure %s: %w", m.name, err)
		}
		if err := costs.Set(m.name, d.Seconds(), "measured on this machine by --calibrate"); err != nil {
			return err
		}
	}
	return nil
}

// perUnit measures step, which does some units, for a while.
func perUnit(ctx context.Context, step func() (units int, err error)) (time.Duration, error) {
	began, units := time.Now(), 0
	for time.Since(began) < calibrateFor {
		n, err := step()
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return 0, err
		}
		units += n
	}
	return time.Since(began) / time.Duration(units), nil
}

// sampleReturn returns the load of a typical return.
func sampleReturn(id string) (wire.Raw, error) {
	return wire.Encode(wire.NewMap("cmd", "_return", "id", id, "success", true, "return", "a result of some words, as many are",
		"retcode", 0, "jid", "20260101000000000000", "fun", "test.echo", "fun_args", []any{}))
}

// codecCost measures opening, checking and parsing a return, and sealing the answer.
func codecCost(ctx context.Context) (time.Duration, error) {
	key, err := crypt.ParseKey(crypt.NewKeyString())
	if err != nil {
		return 0, err
	}
	load, err := sampleReturn("web-0001")
	if err != nil {
		return 0, err
	}
	frame, err := key.Seal("", load)
	if err != nil {
		return 0, err
	}
	return perUnit(ctx, func() (int, error) {
		for range 100 {
			open, err := key.Open(frame)
			if err != nil {
				return 0, err
			}
			ret, err := wire.ParseReturn(open)
			if err != nil {
				return 0, err
			}
			again, err := wire.Encode(wire.NewMap("jid", ret.JID, "id", ret.ID, "return", ret.Value, "fun", ret.Fun))
			if err != nil {
				return 0, err
			}
			if _, err := key.Seal("", again[:8]); err != nil {
				return 0, err
			}
		}
		return 100, nil
	})
}

// rowCost measures storing a return that is pending for a parent, 500 per commit.
func rowCost(ctx context.Context) (_ time.Duration, err error) {
	dir, err := os.MkdirTemp("", "mom-plan-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s, err := sqlite.Open(ctx, sqlite.Options{Path: filepath.Join(dir, "jobs.db")})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	n := 0
	return perUnit(ctx, func() (int, error) {
		var b returners.Batch
		for range 500 {
			n++
			id := fmt.Sprintf("web-%07d", n)
			full, err := sampleReturn(id)
			if err != nil {
				return 0, err
			}
			const jid = "20260101000000000000"
			b.Returns = append(b.Returns, returners.Return{JID: jid, ID: id, Fun: "test.echo", Success: true, Full: full})
			b.Outbox = append(b.Outbox, returners.Item{Dest: returners.DestAbove, Kind: returners.KindReturn, JID: jid, ID: id})
		}
		_, err := s.Commit(ctx, b)
		return 500, err
	})
}

// signInCost measures two operations with a master's private key.
func signInCost(ctx context.Context) (time.Duration, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return 0, err
	}
	return perUnit(ctx, func() (int, error) {
		for range 2 {
			if _, err := crypt.Sign(crypt.PKCS1SHA1, key, []byte("a challenge")); err != nil {
				return 0, err
			}
		}
		return 1, nil
	})
}
