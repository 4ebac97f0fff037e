package metrics

import (
	"maps"
	"slices"

	"github.com/momtree/mom/internal/logs"
)

// CollectRescues writes the rescues of a daemon.
func CollectRescues(s *Sink, c *logs.Rescues) {
	counts := c.Counts()
	for _, by := range slices.Sorted(maps.Keys(counts)) {
		s.Count("mom_rescued_total", counts[by], by)
	}
}
