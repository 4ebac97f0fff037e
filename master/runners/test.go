package runners

import (
	"context"
	"fmt"
	"time"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/wire"
)

// streamed is the number of progress events of test.stream, and streamEvery the delay between them.
const (
	streamed    = 99
	streamEvery = 100 * time.Millisecond
)

func init() {
	Register(
		Function{Name: "test.arg", Args: []string{"*"}, AnyKwargs: true, Run: testArg, Doc: `
Return the arguments as they were understood.

    salt-run test.arg foo bar=1
`},
		Function{Name: "test.raw_arg", Args: []string{"*"}, AnyKwargs: true, Run: testArg, Doc: `
Like test.arg: keywords that begin with __ do not reach a runner here.

    salt-run test.raw_arg foo bar=1
`},
		Function{Name: "test.metasyntactic", Args: []string{"locality="}, Run: testMetasyntactic, Doc: `
Return placeholder words.

locality : us
    us or uk.

    salt-run test.metasyntactic locality=uk
`},
		Function{Name: "test.stdout_print", Run: func(_ context.Context, c *Call) (any, error) {
			c.Print("foo")
			return "bar", nil
		}, Doc: `
Print foo and return bar.

    salt-run test.stdout_print
`},
		Function{Name: "test.sleep", Args: []string{"s_time="}, Run: func(ctx context.Context, c *Call) (any, error) {
			d, err := c.Seconds("s_time", 10*time.Second)
			if err != nil {
				return nil, err
			}
			shown, given := c.Given("s_time")
			if !given {
				shown = 10
			}
			c.Print(fmt.Sprint(shown))
			err = timing.Sleep(ctx, d)
			return err == nil, err
		}, Doc: `
Print the duration, wait, and return True.

s_time : 10
    The duration in seconds.

    salt-run test.sleep 3
`},
		Function{Name: "test.stream", Run: func(ctx context.Context, c *Call) (any, error) {
			for i := range streamed {
				c.Progress(fmt.Sprintf("Runner is %d%% done", i+1))
				if err := timing.Sleep(ctx, streamEvery); err != nil {
					return nil, err
				}
			}
			return true, nil
		}, Doc: `
Report progress 99 times, ten times a second, and return True.

    salt-run test.stream
`},
	)
}

func testArg(_ context.Context, c *Call) (any, error) {
	return wire.NewMap("args", append([]any{}, c.Rest()...), "kwargs", c.Extra()), nil
}

func testMetasyntactic(_ context.Context, c *Call) (any, error) {
	words := map[string][]string{
		"us": {"foo", "bar", "baz", "qux", "quux", "quuz", "corge", "grault", "garply", "waldo", "fred", "plugh", "xyzzy", "thud"},
		"uk": {"wibble", "wobble", "wubble", "flob"},
	}
	locality := "us"
	if _, given := c.Given("locality"); given {
		locality = c.Text("locality")
	}
	if words[locality] == nil {
		return nil, nil
	}
	return wire.AnyList(words[locality]), nil
}
