package postgres

import (
	"testing"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
)

func TestContract_Text(t *testing.T) {
	s := server(t)
	returnertest.Run(t, func(t *testing.T) returners.Returner { return open(t, s, s.Database(t), as(Text)) })
}

func TestContract_JSONB(t *testing.T) {
	s := server(t)
	returnertest.RunUnordered(t, func(t *testing.T) returners.Returner { return open(t, s, s.Database(t), as(JSONB)) })
}
