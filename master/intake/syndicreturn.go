package intake

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/keys"
	"github.com/momtree/mom/master/ownership"
	"github.com/momtree/mom/master/presence"
	"github.com/momtree/mom/master/server"
	"github.com/momtree/mom/returners"
)

// claimWait is how long a return waits for the report that its minion has moved to the node.
const claimWait = 2 * time.Second

func init() {
	commands.Register(server.Command{
		Name: "_syndic_return", Who: server.Peer, Whole: true,
		Args: []string{"load"},
		Doc: `
Accepts returns of minions below a node, of one or several jobs, in one commit.

load
    A list of jobs, each with jid, fun, load and, in return, the results by minion. The
    sender must be allowed to be a node.
`,
	}, func(s *Service) server.Handler { return s.onSyndicReturn })
}

// onSyndicReturn serves `_syndic_return`: returns of minions below a node (Salt wire reference
// §9.2). All returns of a request share a commit. Invalid entries are skipped and reported:
// refusing the request would make the node resend the others forever.
func (s *Service) onSyndicReturn(ctx context.Context, r *server.Request) (any, error) {
	begun := s.o.Now()
	sr, err := wire.ParseSyndicReturn(r.Load)
	if err != nil {
		return nil, fmt.Errorf("returns through syndic %q: %w", r.ID, err)
	}
	var rets []returners.Return
	var loads []returners.Load
	nodes := map[string]error{} // by node: nil if it may return for others
	for _, err := range sr.Broken {
		s.o.Policy.Trespassed(ownership.Trespass{Kind: ownership.OfEntry, Path: r.ID, Err: err})
	}
	var verdicts wire.Verdicts
	patience, cancel := context.WithTimeout(ctx, claimWait)
	defer cancel()
	for _, j := range sr.Loads {
		via := r.ID
		if r.Version < 3 { // names the syndic only in the load
			via = j.ID
		}
		if _, known := nodes[via]; !known {
			nodes[via] = s.mayReturnFor(via)
		}
		if err := nodes[via]; err != nil {
			if r.Version >= 3 { // the whole request is from that node
				return nil, err
			}
			s.o.Policy.Trespassed(ownership.Trespass{Kind: ownership.OfNode, Path: via, JID: j.JID, Err: err})
			continue
		}
		if !jid.Valid(j.JID) {
			s.o.Policy.Trespassed(ownership.Trespass{Kind: ownership.OfEntry, Path: via, Err: fmt.Errorf("jid %q is not a job id", j.JID)})
			continue
		}
		if s.o.Peers.AskedWho(j.JID) { // this master's own question to the syndic's connection, passed on by it
			continue
		}
		if !wire.IsNil(j.Load) && !wire.IsEmptyMap(j.Load) {
			if err := wire.FitFields(j.Load, s.o.Depth); err != nil { // its returns are still accepted
				s.o.Policy.Trespassed(ownership.Trespass{Kind: ownership.OfEntry, Path: via, JID: j.JID, Err: fmt.Errorf("load of the job: %w", err)})
			} else if load, err := s.o.Mask.Load(j.Load); err != nil {
				s.o.Policy.Trespassed(ownership.Trespass{Kind: ownership.OfEntry, Path: via, JID: j.JID, Err: fmt.Errorf("load of the job: %w", err)})
			} else {
				s.o.OtherRecord(ctx, via, j.JID, load)
				loads = append(loads, returners.Load{JID: j.JID, Raw: load, At: s.o.Now()})
			}
		}
		for _, mr := range j.Returns {
			ret, kind, err := s.returnBelow(patience, j, mr, via)
			of := wire.ReturnOf{JID: j.JID, ID: mr.ID}
			switch {
			case err == nil:
			case kind == ownership.OfUnusable && s.o.Peers.Probed(j.JID):
				continue
			case kind == ownership.OfUnusable:
				if s.o.Peers.Announces(presence.Syndic, via) { // a 3008 syndic stops returning after any answer but None
					verdicts.Refuse(of, err.Error())
				}
				if ret, err = s.errorRowBelow(j, mr, via, err); err != nil {
					return nil, err
				}
			default:
				s.o.Policy.Trespassed(ownership.Trespass{Kind: kind, Path: via, ID: mr.ID, JID: j.JID, Err: err})
				if kind == ownership.OfUnproven {
					verdicts.Leave(of) // the node sends it again
				}
				continue
			}
			if !s.o.Peers.Answered(j.JID, mr.ID, ret.Value, r.Version) {
				rets = append(rets, ret)
				if !s.o.Peers.Announces(presence.Syndic, via) {
					s.o.Policy.Claims().See(via, false, mr.ID)
				}
			}
		}
	}
	err = s.keep(ctx, rets, loads)
	s.recordBelow(ctx, r.ID, rets, begun, err)
	if err != nil {
		return nil, err
	}
	return verdicts.Reply(), nil
}

// mayReturnFor checks whether via may pass on returns of others.
func (s *Service) mayReturnFor(via string) error {
	if !s.o.Keys.Accepted(via) {
		return fmt.Errorf("returns through syndic %q: id has no accepted key", via)
	}
	return s.o.Policy.Join(via)
}

// returnBelow builds the row of a return behind a node. If it is refused, kind is the kind of
// trespass; [ownership.OfUnusable] means that the minion may return and the return is invalid.
func (s *Service) returnBelow(ctx context.Context, j wire.SyndicJob, mr wire.MinionReturn, via string) (_ returners.Return, kind string, _ error) {
	//mutant:cve2024-22231-syndic-return
	if err := keys.ValidID(mr.ID); err != nil {
		return returners.Return{}, ownership.OfEntry, err
	}
	if err := s.o.Policy.Settle(ctx, via, mr.ID); err != nil {
		var elsewhere ownership.ElsewhereError
		if errors.As(err, &elsewhere) && s.o.Peers.Announces(presence.Syndic, via) {
			return returners.Return{}, ownership.OfUnproven, err
		}
		return returners.Return{}, ownership.OfReturn, err
	}
	if s.o.Policy.Excludes(j.JID, mr.ID) && !s.isResource(j.JID, via, mr.ID) {
		return returners.Return{}, ownership.OfJob, errNotMeant
	}
	ret, err := RowBelow(j, mr, s.o.Depth)
	if err != nil {
		return returners.Return{}, ownership.OfUnusable, err
	}
	row, err := s.row(ret)
	if err != nil {
		return returners.Return{}, ownership.OfUnusable, err
	}
	row.Via = via
	return row, "", nil
}

// errorRowBelow returns the error stored in place of a return behind a node.
func (s *Service) errorRowBelow(j wire.SyndicJob, mr wire.MinionReturn, via string, why error) (returners.Return, error) {
	row, err := s.errorRow(wire.Return{ID: mr.ID, JID: j.JID, Fun: j.Fun, MasterID: j.MasterID}, via, why)
	row.Via = via
	return row, err
}
