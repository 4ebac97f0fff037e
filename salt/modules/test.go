package modules

import (
	"context"
	"math/big"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/internal/versions"
	"github.com/momtree/mom/salt/pyfmt"
	"github.com/momtree/mom/value"
)

func init() {
	text := Arg{Name: "text", Required: true}
	Register("test",
		Function{Name: "ping", Run: constant(true), Doc: `
Answer True: the minion is up and takes jobs. No ICMP is involved.

CLI Example:

    salt '*' test.ping
`},
		Function{Name: "true", Run: constant(true), Doc: `
Return True.

CLI Example:

    salt '*' test.true
`},
		Function{Name: "false", Run: constant(false), Doc: `
Return False. That alone does not make the job fail.

CLI Example:

    salt '*' test.false
`},
		Function{Name: "echo", Args: []Arg{text}, Run: returnArg("text"), Doc: `
Return the text that was given.

CLI Example:

    salt '*' test.echo 'hello there'
`},
		Function{Name: "outputter", Args: []Arg{{Name: "data", Required: true}}, Run: returnArg("data"), Doc: `
Return the data that were given, to see how an outputter shows them.

CLI Example:

    salt '*' test.outputter '{a: [1, 2]}'
`},
		Function{Name: "arg", VarArgs: true, VarKw: true, Run: testArg, Doc: `
Return the positional and keyword arguments as the minion got them.

CLI Example:

    salt '*' test.arg 1 two key='[3, 4]'
`},
		Function{Name: "arg_clean", VarArgs: true, VarKw: true, Run: testArgClean, Doc: `
Like test.arg, without keywords that begin with two underscores.

CLI Example:

    salt '*' test.arg_clean 1 two key='[3, 4]'
`},
		Function{Name: "arg_repr", VarArgs: true, VarKw: true, Run: testArgRepr, Doc: `
Return the arguments written as Python literals.

CLI Example:

    salt '*' test.arg_repr 1 two key='[3, 4]'
`},
		Function{Name: "arg_type", VarArgs: true, VarKw: true, Run: testArgType, Doc: `
Return the types of the arguments by their Python names.

CLI Example:

    salt '*' test.arg_type 1 two
`},
		Function{Name: "kwarg", VarKw: true, Run: func(_ context.Context, c *Call) (any, error) { return c.Kwargs, nil }, Doc: `
Return the keyword arguments.

CLI Example:

    salt '*' test.kwarg num=1 txt=two
`},
		Function{Name: "sleep", Args: []Arg{{Name: "length", Required: true}}, Run: testSleep, Doc: `
Wait length seconds, then return True.

CLI Example:

    salt '*' test.sleep 20
`},
		Function{Name: "rand_sleep", Args: []Arg{{Name: "max", Default: int64(60)}}, Run: testRandSleep, Doc: `
Wait a random whole number of seconds, at most max, so that minions answer at
different times.

CLI Example:

    salt '*' test.rand_sleep 10
`},
		Function{Name: "fib", Args: []Arg{{Name: "num", Required: true}}, Run: testFib, Doc: `
Return the Fibonacci number of the index num and the seconds it took to compute.
Numbers beyond 64 bits are returned as text.

CLI Example:

    salt '*' test.fib 30
`},
		Function{Name: "collatz", Args: []Arg{{Name: "start", Required: true}}, Run: testCollatz, Doc: `
Return the Collatz sequence from start, a number above 0, down to 1 (without the
1) and the seconds it took to compute.

CLI Example:

    salt '*' test.collatz 7
`},
		Function{Name: "retcode", Args: []Arg{{Name: "code", Default: int64(42)}}, Run: testRetcode, Doc: `
Return True together with a return code, to see how codes are handled.

CLI Example:

    salt '*' test.retcode 42
`},
		Function{Name: "exception", Args: []Arg{{Name: "message", Default: "Test Exception"}}, Run: testException, Doc: `
Fail with an exception that has a message.

CLI Example:

    salt '*' test.exception 'Oh no'
`},
		Function{Name: "raise_exception", Args: []Arg{{Name: "name", Required: true}}, VarArgs: true, Run: testRaise, Doc: `
Fail with an exception of a given name. Names of Salt that have an answer of
their own (salt.exceptions.CommandExecutionError, SaltInvocationError,
CommandNotFoundError; TypeError) get it. A name that is no exception gives False.

CLI Example:

    salt '*' test.raise_exception salt.exceptions.CommandExecutionError 'went wrong'
`},
		Function{Name: "assertion", Args: []Arg{{Name: "assertion", Required: true}}, Run: testAssertion, Doc: `
Fail unless the argument is true.

CLI Example:

    salt '*' test.assertion False
`},
		Function{Name: "try", Args: []Arg{{Name: "module", Required: true}, {Name: "return_try_exception", Default: false}}, VarKw: true, Run: testTry, Doc: `
Run another function with the keywords given and return its result, None when it
fails, or the text of the error with return_try_exception=True.

CLI Example:

    salt '*' test.try module=cmd.run cmd='exit 1'
`},
		Function{Name: "cross_test", Args: []Arg{{Name: "func", Required: true}, {Name: "args"}}, Run: testCross, Doc: `
Run another function, func with args, through the minion's own table of
functions.

CLI Example:

    salt '*' test.cross_test test.echo '[hello]'
`},
		Function{Name: "conf_test", Run: testConf, Doc: `
Return the option test.foo of the minion, "unconfigured" when it is not set.

CLI Example:

    salt '*' test.conf_test
`},
		Function{Name: "get_opts", Run: func(_ context.Context, c *Call) (any, error) { return c.Env.Options(), nil }, Doc: `
Return all options of the minion.

CLI Example:

    salt '*' test.get_opts
`},
		Function{Name: "not_loaded", Run: testNotLoaded, Doc: `
List the modules this minion has but may not use, by disable_modules or
whitelist_modules.

CLI Example:

    salt '*' test.not_loaded
`},
		Function{Name: "stack", Run: constantly(func() any { return string(debug.Stack()) }), Doc: `
Return the call stack of the minion at this point.

CLI Example:

    salt '*' test.stack
`},
		Function{Name: "version", Run: constant(versions.Salt), Doc: `
Return the release of Salt that this minion is compatible with. The version of
mom itself is the grain momversion and part of test.versions_report.

CLI Example:

    salt '*' test.version
`},
	)
}

func constant(v any) func(context.Context, *Call) (any, error) {
	return func(context.Context, *Call) (any, error) { return v, nil }
}

func constantly(f func() any) func(context.Context, *Call) (any, error) {
	return func(context.Context, *Call) (any, error) { return f(), nil }
}

func returnArg(name string) func(context.Context, *Call) (any, error) {
	return func(_ context.Context, c *Call) (any, error) { return c.Value(name), nil }
}

func testArg(_ context.Context, c *Call) (any, error) {
	return value.NewMap("args", listOf(c.Rest()), "kwargs", c.Kwargs), nil
}

func testArgClean(ctx context.Context, c *Call) (any, error) {
	for _, k := range slices.Clone(c.Kwargs.Keys()) {
		if s, ok := k.(string); ok && strings.HasPrefix(s, "__") {
			c.Kwargs.Delete(k)
		}
	}
	return testArg(ctx, c)
}

func testArgRepr(_ context.Context, c *Call) (any, error) {
	return value.NewMap("args", pyTuple(c.Rest()), "kwargs", PyRepr(c.Kwargs)), nil
}

func testArgType(_ context.Context, c *Call) (any, error) {
	name := func(v any) any { return "<class '" + pyType(v) + "'>" }
	args, kwargs := []any{}, value.NewMap()
	for _, a := range c.Rest() {
		args = append(args, name(a))
	}
	c.Kwargs.Range(func(k, v any) bool {
		kwargs.Set(k, name(v))
		return true
	})
	return value.NewMap("args", args, "kwargs", kwargs), nil
}

func testSleep(ctx context.Context, c *Call) (any, error) {
	length, err := c.Float("length")
	if err != nil {
		return nil, err
	}
	return pause(ctx, length)
}

func testRandSleep(ctx context.Context, c *Call) (any, error) {
	limit, err := c.Int("max")
	if err != nil {
		return nil, err
	}
	if limit < 0 || limit >= 1<<53 {
		return nil, argErrorf("max must be 0 or more seconds, not %d", limit)
	}
	return pause(ctx, float64(rand.Int64N(limit+1)))
}

// pause waits a number of seconds and returns True.
func pause(ctx context.Context, length float64) (any, error) {
	if !(length >= 0) { // NaN too
		return nil, &ExceptionError{"ValueError", "sleep length must be non-negative"}
	}
	if err := timing.Sleep(ctx, seconds(length)); err != nil {
		return nil, err
	}
	return true, nil
}

func testFib(ctx context.Context, c *Call) (any, error) {
	n, err := c.Int("num")
	if err != nil {
		return nil, err
	}
	if n < 0 {
		return nil, &ExceptionError{"ValueError", "Negative number is not allowed!"}
	}
	start := time.Now()
	a, b := big.NewInt(0), big.NewInt(1)
	for range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		a.Add(a, b)
		a, b = b, a
	}
	return []any{bigValue(a), time.Since(start).Seconds()}, nil
}

// bigValue is a whole number as it travels: text when it needs more than 64
// bits.
func bigValue(n *big.Int) any {
	switch {
	case n.IsInt64():
		return n.Int64()
	case n.IsUint64():
		return n.Uint64()
	}
	return n.String()
}

func testCollatz(ctx context.Context, c *Call) (any, error) {
	n, err := c.Int("start")
	if err != nil {
		return nil, err
	}
	if n < 1 {
		return nil, argErrorf("start must be above 0, not %d", n)
	}
	begin := time.Now()
	steps := []any{}
	for at := big.NewInt(n); at.Cmp(big.NewInt(1)) != 0; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		steps = append(steps, bigValue(at))
		if at.Bit(0) == 0 {
			at.Rsh(at, 1)
		} else {
			at.Mul(at, big.NewInt(3)).Add(at, big.NewInt(1))
		}
	}
	return []any{steps, time.Since(begin).Seconds()}, nil
}

func testRetcode(_ context.Context, c *Call) (any, error) {
	code, err := c.Int("code")
	if err != nil {
		return nil, err
	}
	c.Retcode = int(code)
	return true, nil
}

func testException(_ context.Context, c *Call) (any, error) {
	return nil, &ExceptionError{"Exception", c.Str("message")}
}

func testRaise(_ context.Context, c *Call) (any, error) {
	words := make([]string, 0, len(c.Rest()))
	for _, a := range c.Rest() {
		words = append(words, PyStr(a))
	}
	msg := strings.Join(words, ", ")
	name := c.Str("name")
	short, ofSalt := strings.CutPrefix(name, "salt.exceptions.")
	switch {
	case ofSalt && short == "CommandExecutionError":
		return nil, &CommandError{msg}
	case ofSalt && short == "SaltInvocationError":
		return nil, &InvocationError{msg}
	case ofSalt && short == "CommandNotFoundError":
		return nil, &NotFoundError{msg}
	case name == "TypeError":
		return nil, &ArgumentError{msg}
	case ofSalt && isExceptionName(short):
		return nil, &ExceptionError{name, msg}
	case slices.Contains(pythonErrors, name):
		return nil, &ExceptionError{name, msg}
	}
	return false, nil
}

// pythonErrors are the built-in exceptions of Python that test.raise_exception
// knows.
var pythonErrors = []string{
	"ArithmeticError", "AssertionError", "AttributeError", "BufferError", "EOFError", "Exception",
	"FileExistsError", "FileNotFoundError", "ImportError", "IndexError", "KeyError", "LookupError",
	"MemoryError", "NameError", "NotImplementedError", "OSError", "OverflowError", "PermissionError",
	"RecursionError", "RuntimeError", "StopIteration", "SyntaxError", "TimeoutError", "UnicodeError",
	"ValueError", "ZeroDivisionError",
}

// isExceptionName follows the naming of Salt's exceptions.
func isExceptionName(s string) bool {
	return strings.HasSuffix(s, "Error") || strings.HasSuffix(s, "Exception")
}

func testAssertion(_ context.Context, c *Call) (any, error) {
	if !pyfmt.Truth(c.Value("assertion")) {
		return nil, &ExceptionError{Type: "AssertionError"}
	}
	return nil, nil
}

func testTry(ctx context.Context, c *Call) (any, error) {
	v, err := c.passOn(ctx, Invocation{Fun: c.Str("module"), Direct: c.Direct}, c.Kwargs)
	switch {
	case err == nil:
		return v, nil
	case ctx.Err() != nil:
		return nil, err
	case c.IsTrue("return_try_exception"):
		return err.Error(), nil
	}
	return nil, nil
}

func testCross(ctx context.Context, c *Call) (any, error) {
	args, ok := c.Value("args").([]any)
	if !ok && c.Value("args") != nil {
		return nil, argErrorf("args must be a list, not %s", PyRepr(c.Value("args")))
	}
	return c.sub(ctx, c.Str("func"), args, nil)
}

func testConf(_ context.Context, c *Call) (any, error) {
	if v := c.Env.Option("test.foo"); v != nil {
		return v, nil
	}
	return "unconfigured", nil
}

func testNotLoaded(_ context.Context, c *Call) (any, error) {
	names := []any{}
	for _, m := range Modules() {
		if disabled(c.Env, m+".") {
			names = append(names, m)
		}
	}
	return names, nil
}

// listOf makes a list that encodes as an empty list, not as None.
func listOf(v []any) []any {
	if v == nil {
		return []any{}
	}
	return v
}
