package delivery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/channel"
	"github.com/momtree/mom/internal/wire"
)

// master answers returns as the test says.
type master struct {
	take  func(ret *wire.Map) error
	taken []string // jids
}

func (m *master) Return(_ context.Context, ret *wire.Map) error {
	err := m.take(ret)
	if err == nil {
		raw, _ := ret.Get("jid")
		jid, _ := wire.Str(raw.(wire.Raw))
		m.taken = append(m.taken, jid)
	}
	return err
}

func (m *master) Request(context.Context, *wire.Map) (wire.Raw, error) { return nil, nil }

func sender(t *testing.T, m *master) *Sender {
	t.Helper()
	box, err := OpenOutbox(t.TempDir(), 20_000, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return &Sender{
		Outbox: box, Channel: m, Minion: "m1", Master: "master", Log: slog.New(slog.DiscardHandler),
		Tries: 3, RetryMin: time.Second, RetryMax: time.Second, Changed: func() <-chan struct{} { return nil },
	}
}

func push(t *testing.T, s *Sender, jid string) {
	t.Helper()
	load, err := wire.Encode(wire.NewMap("cmd", "_return", "id", "m1", "jid", jid, "fun", "test.ping", "return", true, "retcode", 0, "success", true))
	if err == nil {
		err = s.Outbox.Push(jid, load)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A return is tried return_retry_tries times. Then an error takes its place, which ends the
// job, and the next return follows at once.
func TestSender_GivesUpWithAnError(t *testing.T) {
	tries := 0
	m := &master{take: func(ret *wire.Map) error {
		if jid, _ := ret.Get("jid"); string(jid.(wire.Raw)) != "\xa1"+"1" || wire.IsErrorReturn(encoded(ret)) {
			return nil
		}
		tries++
		return fmt.Errorf("a test: %w", channel.ErrFailed)
	}}
	s := sender(t, m)
	push(t, s, "1")
	push(t, s, "2")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		start := time.Now()
		s.Outbox.wake = make(chan struct{}, 1)
		go s.Run(ctx)
		synctest.Wait()
		time.Sleep(10 * time.Second)
		cancel()
		synctest.Wait()
		if fmt.Sprint(m.taken) != "[2 1]" || tries != 3 || s.Outbox.Depth() != 0 || time.Since(start) != 10*time.Second {
			t.Errorf("taken %v after %d attempts, %d left", m.taken, tries, s.Outbox.Depth())
		}
	})
}

func encoded(ret *wire.Map) wire.Raw {
	b, err := wire.Encode(ret)
	if err != nil {
		panic(err)
	}
	return b
}

// A master that is away costs no return, however long, and the sender retries when Changed
// signals.
func TestSender_WaitsForTheMaster(t *testing.T) {
	away := true
	tries := 0
	m := &master{take: func(*wire.Map) error {
		if tries++; away {
			return errors.New("nobody is there")
		}
		return nil
	}}
	s := sender(t, m)
	push(t, s, "1")
	synctest.Test(t, func(t *testing.T) {
		s.Outbox.wake = make(chan struct{}, 1)
		changed := make(chan struct{})
		s.RetryMin, s.RetryMax = time.Hour, time.Hour
		s.Changed = func() <-chan struct{} { return changed }
		ctx, cancel := context.WithCancel(t.Context())
		go s.Run(ctx)
		time.Sleep(10*time.Hour + time.Minute)
		synctest.Wait()
		if tries != 11 || s.Outbox.Depth() != 1 {
			t.Errorf("%d attempts, %d returns left", tries, s.Outbox.Depth())
		}
		away = false
		close(changed)
		synctest.Wait()
		if fmt.Sprint(m.taken) != "[1]" || s.Outbox.Depth() != 0 {
			t.Errorf("taken %v, %d left", m.taken, s.Outbox.Depth())
		}
		cancel()
		synctest.Wait()
	})
}
