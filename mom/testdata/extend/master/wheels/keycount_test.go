package wheels

import (
	"testing"

	"github.com/momtree/mom/value"
)

func TestExtend_KeyCount(t *testing.T) {
	c := &Call{Bound: BindLoad(value.NewMap("cmd", "wheel", "fun", "key.count", "status", "unaccepted"))}
	c.Env.Keys, _ = testEditor(t) // one key in each folder
	if v, err := Run(t.Context(), c); err != nil || v != 1 {
		t.Errorf("%v, %v", v, err)
	}
}
