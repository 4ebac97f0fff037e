package redis

import (
	"testing"
	"time"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
)

const defaultKeep = 24 * time.Hour

func TestContract(t *testing.T) {
	returnertest.Run(t, func(t *testing.T) returners.Returner { return open(t, empty(t)) })
}

// Keys that never expire are cleaned all the same.
func TestContractWithoutExpiry(t *testing.T) {
	returnertest.Run(t, func(t *testing.T) returners.Returner {
		return open(t, empty(t), func(o *Options) { o.Keep = 0 })
	})
}

// A cluster refuses commands whose keys belong to different slots.
func TestContractOfACluster(t *testing.T) {
	s := cluster(t)
	returnertest.Run(t, func(t *testing.T) returners.Returner {
		flush(t, s)
		return open(t, s)
	})
}
