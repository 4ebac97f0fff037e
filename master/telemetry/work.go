package telemetry

import (
	"sync/atomic"

	"github.com/momtree/mom/internal/metrics"
	"github.com/momtree/mom/internal/zmtp"
)

// Counters count what a master does.
type Counters struct {
	Returns    atomic.Uint64 // new returns stored
	Repeated   atomic.Uint64 // returns that were stored before
	Completed  atomic.Uint64 // jobs closed
	Refused    atomic.Uint64 // requests and events that were refused
	Subscribed atomic.Uint64 // subscriptions of all peers
	Missed     atomic.Uint64 // publications given again
	HungUp     atomic.Uint64 // sign-ins whose peer did not wait
	Panics     atomic.Uint64 // requests that failed for a fault of ours
}

// Read gives the part of a reading that the counters know.
func (c *Counters) Read() Stats {
	return Stats{
		Returns: c.Returns.Load(), Repeated: c.Repeated.Load(), Completed: c.Completed.Load(), Refused: c.Refused.Load(),
		Missed: c.Missed.Load(), HungUp: c.HungUp.Load(), Panics: c.Panics.Load(),
	}
}

// Stats is a reading of a master's counters.
type Stats struct {
	Returns, Repeated, Completed, Refused uint64
	// Missed counts publications that were given again to peers that had missed
	// them. KeptPublications and KeptBytes are what is kept for that now,
	// DroppedPublications what went for want of room.
	Missed              uint64
	KeptPublications    int
	KeptBytes           int64
	DroppedPublications uint64
	HungUp, Panics      uint64

	// Trespasses are what accepted peers were refused, by kind: return, job,
	// entry, expectation, event, node, replay, unproven, unusable, record, mine, peer, quota, resource.
	Trespasses map[string]uint64

	// TurnedAway is what the door turned away, by cause, sockets left out.
	TurnedAway map[string]uint64

	SignInsWaiting int
	Router         zmtp.RouterStats
	Pub            zmtp.PubStats
}

func (st Stats) collect(s *metrics.Sink) {
	s.Count("mom_returns_total", st.Returns, "new")
	s.Count("mom_returns_total", st.Repeated, "duplicate")
	s.Count("mom_jobs_closed_total", st.Completed)
	s.Count("mom_refused_total", st.Refused)
	for kind, n := range st.Trespasses {
		s.Count("mom_trespasses_total", n, kind)
	}
	for cause, n := range st.TurnedAway {
		s.Count("mom_turned_away_total", n, cause)
	}
	s.Count("mom_panics_total", st.Panics)
	s.Count("mom_sign_ins_gone_total", st.HungUp)
	s.Set("mom_sign_ins_waiting", float64(st.SignInsWaiting))
	s.Count("mom_router_requests_total", st.Router.Requests)
	s.Count("mom_router_replies_total", st.Router.Replies)
	s.Count("mom_router_replies_lost_total", st.Router.LostReplies)
	s.Count("mom_router_dropped_total", st.Router.Dropped)
	s.Count("mom_router_credit_waits_total", st.Router.CreditWaits)
	s.Count("mom_publications_total", st.Pub.Sent)
	s.Count("mom_publications_delivered_total", st.Pub.Delivered)
	s.Count("mom_publications_dropped_total", st.Pub.Dropped)
	s.Set("mom_publications_queued", float64(st.Pub.Queued))
	s.Count("mom_publications_missed_total", st.Missed)
	s.Set("mom_publications_kept", float64(st.KeptPublications))
	s.Set("mom_publications_kept_bytes", float64(st.KeptBytes))
	s.Count("mom_publications_forgotten_total", st.DroppedPublications)
	s.Set("mom_subscribers", float64(st.Pub.Subscribers))
}
