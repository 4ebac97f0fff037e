package telemetry

import (
	"github.com/momtree/mom/internal/metrics"
	"github.com/momtree/mom/internal/zmtp"
)

func collectSocket(s *metrics.Sink, socket string, h zmtp.HostStats) {
	s.Set("mom_socket_peers", float64(h.Peers), socket)
	s.Set("mom_socket_handshaking", float64(h.Handshaking), socket)
	s.Count("mom_socket_accepted_total", h.Accepted, socket)
	for reason, n := range map[string]uint64{
		"full": h.RefusedFull, "address": h.RefusedAddr, "evicted": h.Evicted, "handshake": h.HandshakeFailed, "accept": h.AcceptErrors,
	} {
		s.Count("mom_socket_refused_total", n, socket, reason)
	}
	for reason, n := range map[string]uint64{
		"frame": h.CutFrame, "late": h.CutLate, "budget": h.CutBudget, "slow": h.CutSlow, "stalled": h.CutStalled, "silent": h.CutSilent, "idle": h.CutIdle,
	} {
		s.Count("mom_socket_cut_total", n, socket, reason)
	}
	s.Count("mom_socket_hung_up_total", h.HandshakeGone, socket)
	s.Set("mom_socket_backlog_peers", float64(h.BacklogPeers), socket)
	s.Set("mom_socket_backlog_messages", float64(h.BacklogMessages), socket)
	s.Set("mom_socket_backlog_bytes", float64(h.BacklogBytes), socket)
	s.Set("mom_socket_request_bytes", float64(h.RequestBytes), socket)
	s.Count("mom_socket_room_waits_total", h.BudgetWaits, socket)
	s.Count("mom_socket_greeting_waits_total", h.HandshakeWaits, socket)
	s.Set("mom_socket_untrusted_bytes", float64(h.UntrustedBytes), socket)
}
