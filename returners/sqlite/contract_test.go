package sqlite

import (
	"testing"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
)

func TestContract(t *testing.T) {
	returnertest.RunJobStore(t, func(t *testing.T) returners.JobStore { return open(t) })
}
