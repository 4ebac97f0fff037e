package debug

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/momtree/mom/internal/config"
	"github.com/momtree/mom/internal/daemon"
	"github.com/momtree/mom/internal/secrets"
	"github.com/momtree/mom/internal/versions"
	"github.com/momtree/mom/salt/pyfmt"
)

const (
	// logTail is how much of the end of a log is taken, in bytes.
	logTail = 1 << 20
	// maxPart bounds what the daemon may answer with, in bytes.
	maxPart = 256 << 20
)

// source is a daemon of this machine.
type source struct {
	role    string
	options map[string]any // without secrets
	secret  []string       // values that are secret, to be taken out of the log too
	logFile string
	socket  string
}

// sourceOf reads the files of a daemon.
func sourceOf(dir, role string) (source, error) {
	if role == "" {
		role = "minion"
		if _, err := os.Stat(filepath.Join(dir, "master")); err == nil {
			role = "master"
		} else if !errors.Is(err, fs.ErrNotExist) {
			return source{}, err
		}
	}
	switch role {
	case "master", "api":
		c, _, err := config.ReadMaster(dir)
		if c == nil {
			return source{}, err
		}
		s := source{role: role, options: c.Written(), secret: hidden(c.Raw, c.Written()), logFile: c.LogFile, socket: daemon.DebugSocketPath(c.SockDir, role)}
		if role == "api" {
			s.logFile = c.ApiLogfile
		}
		return s, nil
	case "minion":
		c, _, err := config.ReadMinion(dir)
		if err != nil {
			return source{}, err
		}
		return source{role: role, options: c.Shown(), secret: hidden(c.Raw, c.Shown()), logFile: c.LogFile, socket: daemon.DebugSocketPath(c.SockDir, role)}, nil
	}
	return source{}, fmt.Errorf("option --role: %q is none of master, minion, api", role)
}

// hidden are the texts of raw that shown has masked.
func hidden(raw, shown any) (out []string) {
	switch r := raw.(type) {
	case map[string]any:
		s, ok := shown.(map[string]any)
		for k, v := range r {
			if !ok {
				out = append(out, hidden(v, nil)...)
				continue
			}
			out = append(out, hidden(v, s[k])...)
		}
	case []any:
		s, ok := shown.([]any)
		for i, v := range r {
			if !ok || i >= len(s) {
				out = append(out, hidden(v, nil)...)
				continue
			}
			out = append(out, hidden(v, s[i])...)
		}
	case string:
		const short = 4 // shorter ones would take words out of the log
		if text, ok := shown.(string); (!ok || text != r) && len(r) >= short {
			out = append(out, r)
		}
	}
	return out
}

// collect writes all that can be had.
func (s source) collect(ctx context.Context, b *bundle, version string) {
	b.add("version.txt", []byte("mom "+version+"\nrole "+s.role+"\n\n"+versions.Text(versions.Program(version))))
	b.add("configuration.yaml", []byte(pyfmt.YAML(config.AsValue(s.options), pyfmt.YAMLForm{})))
	if tail, err := s.log(); err != nil {
		b.lacks("log.txt", err)
	} else {
		b.add("log.txt", tail)
	}
	client := daemon.DebugClient(s.socket)
	for name, path := range map[string]string{
		"goroutines.txt": "/debug/pprof/goroutine?debug=2", "heap.pb.gz": "/debug/pprof/heap", "allocs.pb.gz": "/debug/pprof/allocs", "metrics.txt": "/metrics",
	} {
		data, err := fetch(ctx, client, path)
		if err != nil {
			b.lacks(name, err)
			continue
		}
		b.add(name, data)
	}
}

// log is the end of the log, from the beginning of a line, without secrets.
func (s source) log() ([]byte, error) {
	if u, err := url.Parse(s.logFile); err == nil && u.Scheme != "" {
		return nil, fmt.Errorf("the log goes to %s", s.logFile)
	}
	f, err := os.Open(s.logFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	from := max(0, info.Size()-logTail)
	data, err := io.ReadAll(io.NewSectionReader(f, from, logTail))
	if err != nil {
		return nil, err
	}
	text := string(data)
	if from > 0 {
		_, text, _ = strings.Cut(text, "\n")
	}
	return []byte(s.masked(text)), nil
}

// named is a value in a log line under a name, in its forms name=value and name: value.
var named = regexp.MustCompile(`([\w.-]+)(["']?\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s,}\]]+)`)

// masked takes out what the configuration says is secret, and what is called as secrets are.
func (s source) masked(text string) string {
	for _, v := range s.secret {
		text = strings.ReplaceAll(text, v, secrets.Mask)
	}
	return named.ReplaceAllStringFunc(text, func(m string) string {
		parts := named.FindStringSubmatch(m)
		if !secrets.Named(parts[1]) {
			return m
		}
		return parts[1] + parts[2] + secrets.Mask
	})
}

// fetch asks the daemon.
func fetch(ctx context.Context, c *http.Client, path string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://debug"+path, nil)
	if err != nil {
		return nil, err
	}
	answer, err := c.Do(r)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("the daemon does not serve it: set debug_socket: True and start it again")
		}
		return nil, err
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(io.LimitReader(answer.Body, maxPart))
	if err == nil && answer.StatusCode != http.StatusOK {
		err = errors.New(answer.Status)
	}
	return data, err
}
