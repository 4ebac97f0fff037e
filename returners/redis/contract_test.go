package redis

import (
	"testing"
	"time"

	"github.com/momtree/mom/returners"
	"github.com/momtree/mom/returners/returnertest"
)

const defaultKeep = 24 * time.Hour

func TestContract(t *testing.T) {
	runAll(t, func(t *testing.T) returners.Returner { return open(t, empty(t)) })
}

// Keys that never expire are cleaned as well.
func TestContractWithoutExpiry(t *testing.T) {
	runAll(t, func(t *testing.T) returners.Returner {
		return open(t, empty(t), func(o *Options) { o.Keep = 0 })
	})
}

// A cluster refuses commands whose keys belong to different slots.
func TestContractOfACluster(t *testing.T) {
	s := cluster(t)
	runAll(t, func(t *testing.T) returners.Returner {
		flush(t, s)
		return open(t, s)
	})
}

func runAll(t *testing.T, open func(t *testing.T) returners.Returner) {
	returnertest.Run(t, open)
	returnertest.RunShared(t, open)
}
