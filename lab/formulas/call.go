package formulas

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Call is one function of a minion.
type Call struct {
	ID   string   `json:"id"`
	Fun  string   `json:"fun"`
	Args []string `json:"args"`
}

//go:embed caller.py
var caller []byte

// Salt is a masterless minion of Salt, whose modules stay loaded between calls.
type Salt struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers chan []byte // closed when the process ends
	dir     string
}

// StartSalt starts the minion with the configuration of dir. peer is an unpacked Salt.
func StartSalt(ctx context.Context, python, peer, dir string) (*Salt, error) {
	script := filepath.Join(dir, "caller.py")
	if err := os.WriteFile(script, caller, 0o600); err != nil {
		return nil, fmt.Errorf("write the caller of Salt: %w", err)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, fmt.Errorf("create the log of Salt: %w", err)
	}
	defer log.Close()
	cmd := exec.CommandContext(ctx, python, "-W", "ignore", script, filepath.Join(dir, "minion"))
	cmd.Env = append(os.Environ(), "PYTHONPATH="+peer+string(os.PathListSeparator)+filepath.Join(peer, "shim"), "PYTHONDONTWRITEBYTECODE=1")
	cmd.Stderr, cmd.WaitDelay = log, time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start Salt: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start Salt: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start Salt: %w", err)
	}
	s := &Salt{cmd: cmd, in: in, answers: make(chan []byte), dir: dir}
	go func() {
		defer close(s.answers)
		for r := bufio.NewReader(out); ; {
			line, err := r.ReadBytes('\n')
			if err != nil {
				return
			}
			s.answers <- line
		}
	}()
	return s, nil
}

// Call answers one call. After a time-out no further call is answered.
func (s *Salt) Call(ctx context.Context, c Call) Outcome {
	b, err := json.Marshal(c)
	if err == nil {
		_, err = s.in.Write(append(b, '\n'))
	}
	if err != nil {
		return Outcome{Error: err.Error(), Lost: true}
	}
	var answer struct {
		Value any
		Error string
	}
	select {
	case line, ok := <-s.answers:
		if !ok {
			return Outcome{Error: "Salt ended", Lost: true}
		}
		if err := json.Unmarshal(neutral(line, s.dir), &answer); err != nil {
			return Outcome{Error: err.Error()}
		}
	case <-ctx.Done():
		return Outcome{Error: ctx.Err().Error(), Lost: true}
	}
	if answer.Error != "" {
		return Outcome{Error: answer.Error}
	}
	return outcome(answer.Value)
}

// Close ends the process.
func (s *Salt) Close() error {
	err := s.in.Close()
	_ = s.cmd.Process.Kill() // it may be in a call
	for range s.answers {    // its last ones
	}
	_ = s.cmd.Wait() // killed
	return err
}

// Ours is a masterless minion of this project.
type Ours struct {
	Argv []string // its salt-call
	Dir  string   // with the configuration
}

// Call answers one call.
func (o Ours) Call(ctx context.Context, c Call) Outcome {
	args := append(append([]string{}, o.Argv[1:]...), "--local", "-c", o.Dir, "--id="+c.ID, "--out=json", "--retcode-passthrough", c.Fun)
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, o.Argv[0], append(args, c.Args...)...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var doc struct{ Local any }
	if jerr := json.Unmarshal(neutral(out.Bytes(), o.Dir), &doc); jerr != nil {
		return Outcome{Error: lastLine(cmp.Or(strings.TrimSpace(errs.String()), strings.TrimSpace(out.String()), fmt.Sprint(err)))}
	}
	return outcome(doc.Local)
}

// neutral replaces the folder of a side by a word that both sides have.
func neutral(b []byte, dir string) []byte { return bytes.ReplaceAll(b, []byte(dir), []byte("DIR")) }

// outcome is the value of an answer; a list is one of errors.
func outcome(v any) Outcome {
	if list, ok := v.([]any); ok {
		return Outcome{Error: fmt.Sprint(list...)}
	}
	return Outcome{Value: plain(v)}
}

func lastLine(s string) string { return s[strings.LastIndexByte(s, '\n')+1:] }

// minionFile is the configuration of both sides.
const minionFile = `id: formulas
root_dir: %[1]s
file_client: local
file_roots: {base: [%[2]s]}
pillar_roots: {base: [%[3]s]}
log_level: critical
log_level_logfile: quiet
`

// Prepare fills dir with the configuration of a side: states and pillar are folders.
func Prepare(dir, states, pillar string) error {
	return errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "minion"), fmt.Appendf(nil, minionFile, dir, states, pillar), 0o600))
}
