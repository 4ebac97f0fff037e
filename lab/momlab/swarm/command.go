package swarm

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/mom/command"
)

const long = `Plays many minions in one process against one master of Salt's wire, ours or
Python's, so that you see what your own machine takes before your minions do. Two
steps on a master that is only for trying:

  momlab swarm --count 2000 --seed-keys /etc/salt/pki/master
  momlab swarm --count 2000 --master 127.0.0.1 --publish 20

The first makes key pairs (once: they are kept in --keys) and lays them down as
accepted; the second starts the minions, publishes test.ping twenty times as the user
of this machine would, and shows what came back. Without --publish the minions serve,
while you publish, until interrupted.

A stock minion (--behave stock) does what salt-minion does: a connection for each
request, Salt's time-outs and retries, no word of presence. One of ours (--behave mom)
keeps its connection and tells its presence. Nothing is run: test.ping, test.echo,
test.sleep, saltutil.find_job, grains and a few others have true answers; cp.get_file,
cp.cache_file, pillar.items, state.highstate and state.apply fetch what a minion
fetches for them; any other function is "not available", unless --size makes up a
result.

Several processes share a large swarm: --first 0 --count 20000, --first 20000 ...`

// Command is momlab swarm.
func Command() *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use:   "swarm",
		Short: "Play many minions against a master, and tell what came of their jobs",
		Long:  long,
		Args:  command.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.register(c)
	return c
}

// flags are the options as given.
type flags struct {
	master                    string
	port, publishPort         int
	count, first              int
	id                        string
	behave                    string
	share                     float64
	protocol                  int
	filtering                 bool
	keys                      string
	pairs                     int
	shared                    bool
	seed, source              string
	delay, pillarID           string
	size                      int
	down, mute, die           float64
	dieFor, ramp              time.Duration
	herds                     []string
	dir, target, kind, fun    string
	args                      []string
	publish                   int
	every, wait, duration     time.Duration
	jsonFile                  string
	progress                  time.Duration
	lines                     bool
	authTimeout, returnRetry  time.Duration
	acceptance, recon, reconM time.Duration
}

func (f *flags) register(c *cobra.Command) {
	s := c.Flags()
	s.SortFlags = false
	s.StringVar(&f.master, "master", "", "host of the master (default: as the configuration says, else 127.0.0.1)")
	s.IntVar(&f.port, "port", 0, "its request port (default: as the configuration says, else 4506)")
	s.IntVar(&f.publishPort, "publish-port", 0, "its publish port (default: as the master says)")
	s.IntVarP(&f.count, "count", "n", 100, "how many minions")
	s.IntVar(&f.first, "first", 0, "number of the first: several processes share a range")
	s.StringVar(&f.id, "id", "swarm-%06d", "pattern of their ids, with one %d")
	s.StringVar(&f.behave, "behave", "stock", "stock: as salt-minion; mom: as our minion; mix: see --mom-share")
	command.Values(c, "behave", "stock", "mom", "mix")
	s.Float64Var(&f.share, "mom-share", 0.5, "with --behave mix: the share, 0 to 1, that behaves as ours")
	s.IntVar(&f.protocol, "protocol", 3, "request protocol of stock minions: 3 (3006.12 and later) or 2")
	s.BoolVar(&f.filtering, "zmq-filtering", false, "subscribe as with zmq_filtering")

	s.StringVar(&f.keys, "keys", "swarm-keys", "folder of the key pairs; what lacks is made, and kept for the next time")
	s.IntVar(&f.pairs, "pairs", 0, "how many different pairs; minions share them in turn (default: one for each minion)")
	s.BoolVar(&f.shared, "shared-key", false, "one pair for all, the same as --pairs 1: no time is spent on making keys")
	s.StringVar(&f.seed, "seed-keys", "", "lay the public keys down as accepted in this pki_dir of a master, and end")
	s.StringVar(&f.source, "source", "", "addresses to connect from, as 127.64.0.0/10 (default: that one for a master on this machine's 127.0.0.0/8, else the system's choice)")

	s.StringVar(&f.delay, "delay", "0s", "how long a job takes: 200ms, 50ms..2s, or exp:300ms")
	s.IntVar(&f.size, "size", 0, "bytes of each result (default: what the function gives)")
	s.Float64Var(&f.down, "down", 0, "share, 0 to 1, that never starts")
	s.Float64Var(&f.mute, "mute", 0, "share that takes jobs and never answers")
	s.Float64Var(&f.die, "die", 0, "share that falls over at each job it takes")
	s.DurationVar(&f.dieFor, "die-for", 0, "how long who fell over is away (default: for good)")
	s.StringArrayVar(&f.herds, "herd", nil, "SHARE@AFTER+AWAY: a share leaves that long after all are ready, and comes back at once: 0.5@30s+5s (may be repeated)")
	s.DurationVar(&f.ramp, "ramp", 0, "spread the start over this time (default: all at once)")

	s.StringVarP(&f.dir, "config-dir", "c", "/etc/salt", "configuration of the master: its address and ports, and for --publish its key file and event bus")
	s.IntVar(&f.publish, "publish", 0, "when all are ready publish this many jobs, one after another, and end")
	s.StringVar(&f.target, "target", "*", "their target")
	s.StringVar(&f.kind, "target-type", "glob", "its type: glob, pcre, list (ids joined by commas), compound ...")
	s.StringVar(&f.fun, "fun", "test.ping", "their function")
	s.StringArrayVar(&f.args, "arg", nil, "an argument of it, as text (may be repeated)")
	s.StringVar(&f.pillarID, "pillar-id", "", "each pillar has to have the id of its minion under this key, or counts as foreign")
	s.DurationVar(&f.every, "every", 0, "publish at this pace, whether or not the job before has ended (default: one after the other)")
	s.DurationVar(&f.wait, "wait", 2*time.Minute, "how long one job, and all to become ready, is waited for")
	s.DurationVar(&f.duration, "for", 0, "without --publish: end after this time (default: when interrupted)")

	s.StringVar(&f.jsonFile, "json", "", "write the report to this file as JSON")
	s.DurationVar(&f.progress, "progress", time.Second, "how often to tell how far it is; 0: never")
	s.BoolVar(&f.lines, "json-lines", false, "tell progress on standard output as a JSON report a line, for programs")

	s.DurationVar(&f.authTimeout, "auth-timeout", 0, "Salt's auth_timeout (default 5s)")
	s.DurationVar(&f.returnRetry, "return-retry", 0, "Salt's return_retry_timer (default 5s, to 10s)")
	s.DurationVar(&f.acceptance, "acceptance-wait", 0, "Salt's acceptance_wait_time (default 10s)")
	s.DurationVar(&f.recon, "recon-default", 0, "Salt's recon_default (default 1s)")
	s.DurationVar(&f.reconM, "recon-max", 0, "Salt's recon_max (default 10s)")
}

// refuse is an error of the command line.
func refuse(format string, args ...any) error {
	return command.Exit(command.ExitUsage, fmt.Errorf(format, args...))
}

// conflicts tells of options that do not go together.
func (f *flags) conflicts(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	switch {
	case f.shared && given("pairs"):
		return refuse("--shared-key is --pairs 1: give one of them")
	case given("pairs") && f.pairs < 1:
		return refuse("--pairs %d: at least one", f.pairs)
	case f.publish < 0:
		return refuse("--publish %d: how many jobs?", f.publish)
	case given("mom-share") && f.behave != "mix":
		return refuse("--mom-share goes with --behave mix")
	case f.publish > 0 && given("for"):
		return refuse("--for goes without --publish, which ends with its last job")
	}
	if f.publish == 0 {
		for _, name := range []string{"target", "target-type", "fun", "arg", "every"} {
			if given(name) {
				return refuse("--%s goes with --publish: how many jobs?", name)
			}
		}
	}
	switch f.behave {
	case "stock", "mom", "mix":
	default:
		return refuse("--behave %s is unknown: use %s", f.behave, strings.Join([]string{"stock", "mom", "mix"}, ", "))
	}
	return nil
}
