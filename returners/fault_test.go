package returners_test

import (
	"errors"
	"testing"

	"github.com/momtree/mom/returners"
)

// A failure unwraps to the sentinel that says what the outbox does, and to its cause.
func TestFault(t *testing.T) {
	cause := errors.New("cause")
	for class, want := range map[string]error{
		returners.ClassConnection: returners.ErrUnavailable, returners.ClassContention: returners.ErrUnavailable, returners.ClassAccess: returners.ErrUnavailable,
		returners.ClassSchema: returners.ErrUnavailable, returners.ClassFull: returners.ErrFull, returners.ClassData: returners.ErrRejected, returners.ClassOther: cause,
	} {
		err := error(&returners.Fault{Returner: "kafka", Where: "a:1/t", Doing: "write", Advice: "check it", Class: class, Err: cause})
		if !errors.Is(err, want) || !errors.Is(err, cause) || returners.Class(err) != class || err.Error() != "kafka a:1/t: write: cause; check it" {
			t.Errorf("%s: %v of class %s", class, err, returners.Class(err))
		}
	}
	if err := (&returners.Fault{Returner: "mysql", Where: "db", Doing: "write", Text: "short", Err: cause}); err.Error() != "mysql db: write: short" {
		t.Errorf("with a text of its own: %v", err)
	}
}
