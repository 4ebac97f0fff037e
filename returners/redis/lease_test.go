package redis

import (
	"testing"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/redis/redistest"
	"github.com/momtree/mom/returners/returnertest"
)

func leasersOf(s *redistest.Server) func(t *testing.T) (one, two returners.Leaser) {
	return func(t *testing.T) (one, two returners.Leaser) {
		flush(t, s)
		return open(t, s), open(t, s)
	}
}

func TestLease(t *testing.T) { returnertest.RunLeaser(t, leasersOf(empty(t))) }

func TestLeaseOfACluster(t *testing.T) { returnertest.RunLeaser(t, leasersOf(cluster(t))) }
