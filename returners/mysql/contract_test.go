package mysql

import (
	"testing"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
)

func TestContract(t *testing.T) {
	s := server(t)
	returnertest.Run(t, func(t *testing.T) returners.Returner { return open(t, s, s.Database(t)) })
}
