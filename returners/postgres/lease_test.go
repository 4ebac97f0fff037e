package postgres

import (
	"testing"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
)

func TestLease(t *testing.T) {
	s := server(t)
	returnertest.RunLeaser(t, func(t *testing.T) (one, two returners.Leaser) {
		db := s.Database(t)
		return open(t, s, db), open(t, s, db)
	})
}
