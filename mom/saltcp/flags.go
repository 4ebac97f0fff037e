package saltcp

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/mom/command"
	"github.com/momtree/mom/mom/options"
)

// flags are the options of the command salt-cp.
type flags struct {
	command.Frame
	timeout        int
	chunked, plain bool

	target command.Target
}

func (f *flags) register(s *options.Set) {
	f.RegisterDir(s, "master")
	s.Int(&f.timeout, "-t --timeout", "SECONDS", "seconds until a silent minion is asked whether it still runs a job; default: the master's option timeout")
	s.Bool(&f.chunked, "-C --chunked", "send files in chunks, and folders; so it is without it, too, for files that are large or no text")
	s.Bool(&f.plain, "-n --no-compression", "do not compress the chunks")
	f.target.Register(s, "--compound") // -C is taken
	f.RegisterMaster(s)
}

// line is what a command line asks for.
type line struct {
	target  string
	sources []string // absolute
	dest    string
}

func readLine(words []string) (line, error) {
	if len(words) < 3 {
		return line{}, &options.Error{Text: "Insufficient arguments"}
	}
	l := line{target: words[0], dest: words[len(words)-1]}
	for _, path := range words[1 : len(words)-1] {
		abs, err := filepath.Abs(path)
		if err != nil {
			return line{}, fmt.Errorf("find the file %s: %w", path, err)
		}
		l.sources = append(l.sources, abs)
	}
	return l, nil
}

// job is one for the minions of a line.
func (f *flags) job(tgt, fun string, args ...any) client.Job {
	j := client.Job{Fun: []string{fun}, Args: args}
	f.target.Of(&j, tgt)
	if f.timeout > 0 {
		j.Timeout = time.Duration(f.timeout) * time.Second
	}
	return j
}
