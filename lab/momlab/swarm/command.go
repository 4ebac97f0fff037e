package swarm

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/momtree/mom/mom/command"
)

const long = `Plays many minions in one process against one master, mom's or Salt's, so that
you see the load on your own machine before your minions do. Two steps on a
master that is only for trying:

  momlab swarm --count 2000 --seed-keys /etc/salt/pki/master
  momlab swarm --count 2000 --master 127.0.0.1 --publish 20

The first makes key pairs (once: they are kept in --keys) and stores them as
accepted. The second starts the minions, publishes test.ping twenty times as the user
of this machine, and shows the results. Without --publish the minions serve, while you
publish, until interrupted.

A stock minion (--behave stock) behaves like salt-minion: a connection for each
request, Salt's time-outs and retries, no presence. One like mom's (--behave mom)
keeps its connection and reports its presence. Nothing is run: test.ping, test.echo,
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
		Short: "Play many minions against a master, and show the results of their jobs",
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
	s.StringVar(&f.master, "master", "", "host of the master (default: from the configuration, else 127.0.0.1)")
	s.IntVar(&f.port, "port", 0, "its request port (default: from the configuration, else 4506)")
	s.IntVar(&f.publishPort, "publish-port", 0, "its publish port (default: as reported by the master)")
	s.IntVarP(&f.count, "count", "n", 100, "number of minions")
	s.IntVar(&f.first, "first", 0, "number of the first minion, for several processes that share a range")
	s.StringVar(&f.id, "id", "swarm-%06d", "pattern of the ids, with one %d")
	s.StringVar(&f.behave, "behave", "stock", "stock: like salt-minion; mom: like mom's minion; mix: see --mom-share")
	command.Values(c, "behave", "stock", "mom", "mix")
	s.Float64Var(&f.share, "mom-share", 0.5, "with --behave mix: the share, 0 to 1, that behaves like mom's")
	s.IntVar(&f.protocol, "protocol", 3, "request protocol of stock minions: 3 (3006.12 and later) or 2")
	s.BoolVar(&f.filtering, "zmq-filtering", false, "subscribe as with zmq_filtering")

	s.StringVar(&f.keys, "keys", "swarm-keys", "directory of the key pairs; missing ones are made and kept")
	s.IntVar(&f.pairs, "pairs", 0, "number of different pairs; minions share them in turn (default: one for each minion)")
	s.BoolVar(&f.shared, "shared-key", false, "one pair for all, the same as --pairs 1: saves the time to make keys")
	s.StringVar(&f.seed, "seed-keys", "", "store the public keys as accepted in this pki_dir of a master, and exit")
	s.StringVar(&f.source, "source", "", "addresses to connect from, such as 127.64.0.0/10 (the default for a master on 127.0.0.0/8; otherwise the system chooses)")

	s.StringVar(&f.delay, "delay", "0s", "how long a job takes: 200ms, 50ms..2s, or exp:300ms")
	s.IntVar(&f.size, "size", 0, "bytes of each result (default: the function's result)")
	s.Float64Var(&f.down, "down", 0, "share, 0 to 1, that never starts")
	s.Float64Var(&f.mute, "mute", 0, "share that receives jobs and never answers")
	s.Float64Var(&f.die, "die", 0, "share that dies at each job it receives")
	s.DurationVar(&f.dieFor, "die-for", 0, "how long a dead minion stays away (default: for good)")
	s.StringArrayVar(&f.herds, "herd", nil, "SHARE@AFTER+AWAY: a share disconnects that long after all are ready, and reconnects all at once: 0.5@30s+5s (may be repeated)")
	s.DurationVar(&f.ramp, "ramp", 0, "spread the start over this time (default: all at once)")

	s.StringVarP(&f.dir, "config-dir", "c", "/etc/salt", "configuration of the master: its address and ports, and for --publish its key file and event bus")
	s.IntVar(&f.publish, "publish", 0, "once all are ready, publish this many jobs, one after another, and exit")
	s.StringVar(&f.target, "target", "*", "their target")
	s.StringVar(&f.kind, "target-type", "glob", "its type: glob, pcre, list (ids joined by commas), compound ...")
	s.StringVar(&f.fun, "fun", "test.ping", "their function")
	s.StringArrayVar(&f.args, "arg", nil, "an argument of it, as text (may be repeated)")
	s.StringVar(&f.pillarID, "pillar-id", "", "a pillar without the id of its minion under this key counts as foreign")
	s.DurationVar(&f.every, "every", 0, "publish at this interval, even if the previous job has not ended (default: one after the other)")
	s.DurationVar(&f.wait, "wait", 2*time.Minute, "time limit of each job, and for all to become ready")
	s.DurationVar(&f.duration, "for", 0, "without --publish: exit after this time (default: when interrupted)")

	s.StringVar(&f.jsonFile, "json", "", "write the report to this file as JSON")
	s.DurationVar(&f.progress, "progress", time.Second, "interval of progress messages; 0: none")
	s.BoolVar(&f.lines, "json-lines", false, "write progress to standard output, one JSON report per line")

	s.DurationVar(&f.authTimeout, "auth-timeout", 0, "Salt's auth_timeout (default 5s)")
	s.DurationVar(&f.returnRetry, "return-retry", 0, "Salt's return_retry_timer (default 5s, to 10s)")
	s.DurationVar(&f.acceptance, "acceptance-wait", 0, "Salt's acceptance_wait_time (default 10s)")
	s.DurationVar(&f.recon, "recon-default", 0, "Salt's recon_default (default 1s)")
	s.DurationVar(&f.reconM, "recon-max", 0, "Salt's recon_max (default 10s)")
}

// refuse returns a usage error.
func refuse(format string, args ...any) error {
	return command.Exit(command.ExitUsage, fmt.Errorf(format, args...))
}

// conflicts returns an error for options that exclude each other.
func (f *flags) conflicts(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	switch {
	case f.shared && given("pairs"):
		return refuse("--shared-key is --pairs 1: use one of them")
	case given("pairs") && f.pairs < 1:
		return refuse("--pairs is %d, must be at least 1", f.pairs)
	case f.publish < 0:
		return refuse("--publish is %d, must not be negative", f.publish)
	case given("mom-share") && f.behave != "mix":
		return refuse("--mom-share needs --behave mix")
	case f.publish > 0 && given("for"):
		return refuse("--for excludes --publish, which ends with its last job")
	}
	if f.publish == 0 {
		for _, name := range []string{"target", "target-type", "fun", "arg", "every"} {
			if given(name) {
				return refuse("--%s needs --publish", name)
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
