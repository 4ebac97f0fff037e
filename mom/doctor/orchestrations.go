package doctor

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/momtree/mom/master/orchestrate"
	"github.com/momtree/mom/master/runners"
	"github.com/momtree/mom/master/wheels"
)

const areaOrchestrate = "orchestration"

var (
	// ofOrchestration matches a state that only a master runs; a file with one is an
	// orchestration.
	ofOrchestration = regexp.MustCompile(`(?m)^\s+["']?salt\.(state|function|runner|wheel|parallel_runners|wait_for_event)["']?\s*:`)
	// stateLine matches the start of a state, argLine an argument.
	stateLine = regexp.MustCompile(`^\s+["']?([a-z0-9_]+\.[a-z0-9_]+)["']?\s*:\s*(\[\])?\s*$`)
	argLine   = regexp.MustCompile(`^\s+-\s+["']?([a-z_]+)["']?\s*:\s*["']?([A-Za-z0-9_.]*)`)
)

// lookOrchestrations checks the files of state.orchestrate: whether this master has the states, their
// arguments, and the runners and wheel functions that they call.
func lookOrchestrations(p *patient) {
	good := 0
	for _, dir := range p.roots("file_roots") {
		p.walk(dir, func(path string) {
			if filepath.Ext(path) != ".sls" {
				return
			}
			// lookSLS reports files that cannot be read.
			if data, err := read(path); err == nil && ofOrchestration.Match(data) && p.orchestration(path, data) {
				good++
			}
		})
	}
	if good > 0 {
		p.works(areaOrchestrate, "file_roots", "%d SLS files of state.orchestrate have nothing that is not here", good)
	}
}

// orchestration checks one file.
func (p *patient) orchestration(path string, data []byte) bool {
	good := p.calls(areaOrchestrate, path, data, functionsOfPillar())
	fails := func(line int, do, format string, args ...any) {
		p.fails(areaOrchestrate, fmt.Sprintf("%s:%d", path, line), do, format, args...)
		good = false
	}
	refused, state, line := orchestrate.Refused(), "", 0
	for text := range strings.Lines(string(data)) {
		line++
		if m := stateLine.FindStringSubmatch(text); m != nil {
			if state = m[1]; !orchestrate.Has(state) {
				fails(line, "run it with salt.state or salt.function on the minion beside the master", "a master here does not run the state %s", state)
			}
			continue
		}
		m := argLine.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		name, val := m[1], m[2]
		switch {
		case state == "salt.runner" && name == "name" && strings.Contains(val, "."):
			if _, ok := runners.Lookup(val); !ok {
				fails(line, "call another runner, or keep what it does as a program beside the master", "the runner %s is not here", val)
			}
		case state == "salt.wheel" && name == "name" && strings.Contains(val, ".") && !slices.Contains(wheels.Names(), val):
			fails(line, "", "the wheel function %s is not here", val)
		case (state == "salt.state" || state == "salt.function") && slices.Contains(refused, name) && !strings.EqualFold(val, "false"):
			fails(line, "remove it", "%s of %s is refused", name, state)
		}
	}
	return good
}

// place returns a file with the line of an offset.
func place(path string, data []byte, at int) string {
	return fmt.Sprintf("%s:%d", path, 1+bytes.Count(data[:at], []byte("\n")))
}
