package metrics

import "github.com/momtree/mom/internal/bus"

// CollectBus writes the metrics of an event bus and its local sockets.
func CollectBus(s *Sink, b bus.Stats, ipc bus.ServerStats) {
	s.Count("mom_bus_events_total", b.Fired)
	s.Set("mom_bus_subscribers", float64(b.Subscribers))
	s.Count("mom_bus_subscribers_cut_total", b.Cut)
	s.Count("mom_bus_events_dropped_total", b.Dropped)
	s.Set("mom_bus_readers", float64(ipc.Readers))
	s.Set("mom_bus_readers_cut_total", float64(ipc.ReadersCut))
	s.Set("mom_bus_readers_refused_total", float64(ipc.Refused))
	s.Set("mom_bus_events_rejected_total", float64(ipc.Rejected))
}
