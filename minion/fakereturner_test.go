package minion

import (
	"context"
	"slices"
	"sync"

	"github.com/momtree/mom/returners"
)

// memory is a returner that stores returns in memory.
type memory struct {
	mu   sync.Mutex
	rets []returners.Return
	hold chan struct{} // not nil: saves wait until it is closed
	fail error         // error of saves
}

var memoryStore = &memory{}

func init() {
	returners.Register(returners.Driver{Name: "minion_test", Doc: "Keeps returns for a test.", Open: func(context.Context, returners.Options) (returners.Saver, error) {
		return memoryStore, nil
	}})
}

// fakeReturner empties the returner "minion_test".
func fakeReturner() *memory {
	memoryStore.mu.Lock()
	defer memoryStore.mu.Unlock()
	memoryStore.rets, memoryStore.hold, memoryStore.fail = nil, nil, nil
	return memoryStore
}

func (m *memory) saved() []returners.Return {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.rets)
}

// slow makes saves wait until release is called.
func (m *memory) slow() (release func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	hold := make(chan struct{})
	m.hold = hold
	return sync.OnceFunc(func() { close(hold) })
}

func (m *memory) SaveReturns(_ context.Context, rets []returners.Return) error {
	m.mu.Lock()
	hold := m.hold
	m.mu.Unlock()
	if hold != nil {
		<-hold
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return m.fail
	}
	m.rets = append(m.rets, rets...)
	return nil
}

func (m *memory) Name() string { return "minion_test" }
func (m *memory) Close() error { return nil }
