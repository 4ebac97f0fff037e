package upstream

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Cast says which of Salt's programs are mom's in a run; the others are Salt's own.
type Cast struct {
	Name  string
	About string   // for the page
	Ours  []string // names of programs
	// Eighth are the programs of the Salt 3008 of SALT_PEER8; without it the cast is left out.
	Eighth []string
}

// Casts returns every cast, in the order of the page.
func Casts() []Cast {
	control := []string{"salt", "salt-api", "salt-cp", "salt-key", "salt-master", "salt-run"}
	return []Cast{
		{"python minion", "mom is master, syndic, API and commands; minions and `salt-call` are Salt's", append([]string{"salt-syndic"}, control...), nil},
		{"all mom", "mom is everything", append([]string{"salt-syndic", "salt-minion", "salt-call"}, control...), nil},
		{"salt", "everything is Salt's: what fails here is not for mom to mend", nil, nil},
		{"python below", "mom is master, API and commands; syndics, minions and `salt-call` are Salt's", control, nil},
		{"3008 below", "mom is master, API and commands; syndics, minions and `salt-call` are of Salt 3008, under the suites of the Salt named below", control, []string{"salt-syndic", "salt-minion", "salt-call"}},
	}
}

// initials names the folder of a run. They are short because the daemons have their sockets below it,
// and the path of a socket has 107 bytes at most.
func (c Cast) initials() string {
	var b strings.Builder
	for _, word := range strings.Fields(c.Name) {
		b.WriteByte(word[0])
	}
	return b.String()
}

// names are the programs that the factories may look for.
var names = []string{
	"salt", "salt-api", "salt-call", "salt-cloud", "salt-cp", "salt-key", "salt-master", "salt-minion", "salt-proxy", "salt-run", "salt-ssh",
	"salt-syndic", "spm",
}

// daemons are the programs whose event bus is forwarded, with the name of their configuration file.
var daemons = map[string]string{"salt-master": "master", "salt-minion": "minion"}

// alone are the words that make mom's programs do what Salt's of the same name does: a syndic
// of mom runs the master of its host too.
var alone = map[string][]string{"salt-syndic": {"--standalone"}}

// WriteScripts fills dir with a program for each of Salt's names. mom is the path of the
// binary, salt the folder of Salt's programs, eighth that of Salt 3008, bridge the command that
// forwards events.
func (c Cast) WriteScripts(dir, mom, salt, eighth string, bridge []string) error {
	bin := filepath.Join(dir, "mom")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return fmt.Errorf("create the folder of programs: %w", err)
	}
	for _, name := range names {
		words := []string{filepath.Join(salt, name)}
		if slices.Contains(c.Eighth, name) {
			words[0] = filepath.Join(eighth, name)
		}
		var forward []string
		if slices.Contains(c.Ours, name) {
			words = append([]string{filepath.Join(bin, name)}, alone[name]...)
			if err := os.Symlink(mom, words[0]); err != nil {
				return fmt.Errorf("link %s: %w", name, err)
			}
			if role, ok := daemons[name]; ok {
				forward = append(slices.Clone(bridge), role)
			}
		}
		text := fmt.Sprintf(script, python(forward), python(words))
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			return fmt.Errorf("write the program %s: %w", name, err)
		}
	}
	return nil
}

// script is Python, since some tests start the programs with their own interpreter. A daemon
// starts once its bridge is ready, or the bridge would miss its first events.
const script = `#!/usr/bin/env python3
import os, subprocess, sys
forward, program = %s, %s
if forward and not {"--version", "--help", "-V", "-h"} & set(sys.argv):
    subprocess.Popen(forward + sys.argv[1:], stdout=subprocess.PIPE).stdout.readline()
os.execv(program[0], program + sys.argv[1:])
`

// python writes a list of words.
func python(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strconv.Quote(w)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
