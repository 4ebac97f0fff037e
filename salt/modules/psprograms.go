package modules

import (
	"context"
	"fmt"
	"strings"

	"github.com/momtree/mom/internal/wire"
	"github.com/momtree/mom/salt/text"
)

func init() {
	name := []Arg{{Name: "name", Required: true}}
	for _, f := range []struct {
		name          string
		run           func(context.Context, *Call) (any, error)
		what, example string
	}{
		{"lsof", psLsof, "Return name, and the output of lsof for the processes of that name.", "lsof apache2"},
		{"netstat", psSockets("netstat", "-nap"), "Return name, and the lines of netstat that contain it.", "netstat apache2"},
		{"psaux", psAux, "Return name, the lines of ps aux that match this regular expression, and their number.", "psaux www-data.+apache2"},
		{"ss", psSockets("ss", "-neap"), "Return name, and the lines of ss that contain it.", "ss apache2"},
	} {
		Register("ps", Function{Name: f.name, Args: name, Run: f.run, Doc: "\n" + f.what + "\n\nCLI Example:\n\n    salt '*' ps." + f.example + "\n"})
	}
}

func psLsof(ctx context.Context, c *Call) (any, error) {
	name := c.Str("name")
	if err := plainArg("name", name); err != nil {
		return nil, err
	}
	r, err := c.program(ctx, program{merge: true}, "lsof", "-c", name)
	return []any{name, r.stdout}, err
}

func psSockets(words ...string) func(context.Context, *Call) (any, error) {
	return func(ctx context.Context, c *Call) (any, error) {
		r, err := c.program(ctx, program{merge: true}, words...)
		found := []any{}
		for line := range strings.SplitSeq(r.stdout, "\n") {
			if strings.Contains(line, c.Str("name")) {
				found = append(found, line)
			}
		}
		return []any{c.Str("name"), found}, err
	}
}

func psAux(ctx context.Context, c *Call) (any, error) {
	re, err := text.Compile(c.Str("name"), int64(0))
	if err != nil {
		return nil, argErrorf("name: %v", err)
	}
	r, err := c.program(ctx, program{merge: true}, "ps", "aux")
	if err != nil {
		return nil, err
	}
	var found []string
	for line := range strings.SplitSeq(r.stdout, "\n") {
		matches, err := re.Match(line)
		if err != nil {
			return nil, argErrorf("name: %v", err)
		}
		_, asks, _ := strings.Cut(line, "salt")
		if matches && !strings.Contains(asks, "ps.psaux") {
			found = append(found, line)
		}
	}
	return []any{c.Str("name"), wire.AnyList(found), fmt.Sprintf("%d occurrence(s).", len(found))}, nil
}
