package sqlite

import (
	"testing"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
)

func TestContract(t *testing.T) {
	returnertest.Run(t, func(t *testing.T) returners.Returner { return open(t) })
}
