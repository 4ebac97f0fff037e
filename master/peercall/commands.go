package peercall

import (
	"context"
	"errors"
	"fmt"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/master/publish"
	"github.com/momtree/mom/master/server"
)

// The requests of nodes for the minions behind them.
const (
	startCommand   = "_peer_pub"
	resultsCommand = "_peer_ret"
)

var commands server.Set[*Service]

// Commands returns the commands of this package.
func Commands() []server.Command { return commands.Commands() }

// Serve adds them to a server.
func (s *Service) Serve(srv *server.Server) { commands.AddTo(srv, s) }

const jobDoc = `
fun, arg
    The function and its arguments; several functions are joined by commas, and have one
    text or list of arguments each.
no_parse
    Keyword arguments that stay strings.
tgt, tgt_type
    The target.
ret, tmo
    Returners for the minions, and a timeout in seconds.
`

var jobArgs = []string{"fun", "arg", "no_parse", "tgt", "tgt_type", "ret", "tmo"}

func init() {
	commands.Register(server.Command{
		Name: "minion_pub", Who: server.Proven, Args: jobArgs, Doc: `
A minion starts a job, if the option peer allows it. Otherwise the answer is an empty map.
` + jobDoc,
	}, func(s *Service) server.Handler { return s.onPub })
	commands.Register(server.Command{
		Name: "minion_publish", Who: server.Proven, Args: append([]string{"form"}, jobArgs...), Doc: `
Like minion_pub; the answer has the results of the minions.
` + jobDoc + `form
    full: the answer has the whole returns; otherwise only the values.
`,
	}, func(s *Service) server.Handler { return s.onPublish })
	commands.Register(server.Command{
		Name: "pub_ret", Who: server.Proven, Args: []string{"jid"}, Doc: `
Returns the results of a job so far, for the minion that started it.
jid
    The job.
`,
	}, func(s *Service) server.Handler { return s.onResults })
	commands.Register(server.Command{
		Name: "minion_runner", Who: server.Proven, Args: []string{"fun", "arg", "no_parse"}, Doc: `
A minion calls a runner, if the option peer_run allows it. Otherwise the answer is an empty
map.
fun, arg
    The runner and its arguments.
no_parse
    Keyword arguments that stay strings.
`,
	}, func(s *Service) server.Handler { return s.onRunner })
	commands.Register(server.Command{
		Name: startCommand, Who: server.Node, Args: append([]string{"for"}, jobArgs...), Doc: `
A node starts a job for a minion behind it, by the rules of this master. A mom command.
for
    The minion.
` + jobDoc,
	}, func(s *Service) server.Handler { return s.onNodePub })
	commands.Register(server.Command{
		Name: resultsCommand, Who: server.Node, Args: []string{"for", "jid"}, Doc: `
Returns the results so far of a job that was started for a minion behind a node. A mom
command.
for
    The minion.
jid
    The job.
`,
	}, func(s *Service) server.Handler { return s.onNodeResults })
}

// onPub serves `minion_pub` (Salt wire reference §8.2).
func (s *Service) onPub(ctx context.Context, r *server.Request) (any, error) {
	req, err := s.read(r)
	var j job
	if err == nil {
		j, err = s.start(ctx, r.ID, req)
	}
	if err != nil {
		return s.no(r, req, err)
	}
	return j.load(), nil
}

// onPublish serves `minion_publish`.
func (s *Service) onPublish(ctx context.Context, r *server.Request) (any, error) {
	req, err := s.read(r)
	var out *wire.Map
	if err == nil {
		out, err = s.publishAndWait(ctx, r.ID, req)
	}
	if err != nil {
		return s.no(r, req, err)
	}
	return out, nil
}

func (s *Service) read(r *server.Request) (request, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return request{}, err
	}
	return readRequest(d)
}

// no returns Salt's answer to a refused request; the log and the bus have the reason.
func (s *Service) no(r *server.Request, req request, err error) (any, error) {
	if errors.Is(err, publish.ErrNotNow) {
		return nil, fmt.Errorf("%s of %s: %w", r.Cmd, r.ID, err)
	}
	if req.raw != nil {
		err = fmt.Errorf("%s: %w (option peer)", req.funs(), err)
	}
	s.refuse(r.ID, "", err)
	return wire.NewMap(), nil
}

// onResults serves `pub_ret`.
func (s *Service) onResults(ctx context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, fmt.Errorf("pub_ret of %s: %w", r.ID, err)
	}
	return s.results(ctx, r.ID, d.String("jid"))
}

// onRunner serves `minion_runner`.
func (s *Service) onRunner(ctx context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, fmt.Errorf("minion_runner of %s: %w", r.ID, err)
	}
	v, err := s.runner(ctx, r.ID, d)
	if err != nil {
		s.refuse(r.ID, "", err)
		return wire.NewMap(), nil
	}
	return v, nil
}

// onNodePub serves `minion_pub` of a node.
func (s *Service) onNodePub(ctx context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, fmt.Errorf("%s of node %s: %w", r.Cmd, r.ID, err)
	}
	return s.forNode(ctx, r.ID, d)
}

// onNodeResults serves `pub_ret` of a node.
func (s *Service) onNodeResults(ctx context.Context, r *server.Request) (any, error) {
	d, err := wire.DecodeMap(r.Load)
	if err != nil {
		return nil, fmt.Errorf("%s of node %s: %w", r.Cmd, r.ID, err)
	}
	return s.resultsForNode(ctx, r.ID, d)
}
