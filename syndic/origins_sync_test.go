package syndic

import (
	"errors"
	"testing"

	"github.com/momtree/mom/internal/durable"
)

// C14: where a job came from is on the disk before the job goes on; what is known
// already needs no sync.
func TestOriginsAreSynced(t *testing.T) {
	o, err := openOrigins(t.TempDir(), 10)
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the disk is gone")
	o.sync = durable.New(func() error { return errors.Join(durable.Held(o.held).Wait(), broken) })
	for i, want := range []error{broken, nil} {
		if _, _, err := o.learn("10.0.0.1:4506", job(1), "above", false); !errors.Is(err, want) {
			t.Errorf("learned %d times: %v, want %v", i+1, err, want)
		}
	}
	if err := o.close(); err != nil {
		t.Error(err)
	}
	if err := durable.Held(o.held).Wait(); err != nil {
		t.Error(err)
	}
}
