package modules

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/momtree/mom/internal/versions"
	"github.com/momtree/mom/value"
)

func TestTest_calls(t *testing.T) {
	env := newEnv()
	calls(t, env, []callCase{
		{"test.true", nil, true},
		{"test.false", nil, false},
		{"test.echo", []any{"foo bar"}, "foo bar"},
		{"test.echo", []any{kw("text", []any{int64(1)})}, []any{int64(1)}},
		{"test.outputter", []any{value.NewMap("a", nil)}, m{"a": nil}},
		{
			"test.arg",
			[]any{int64(1), []any{int64(2)}, kw("k", "v", "__pub_fun", "test.arg", "__pub_jid", "1")},
			m{"args": []any{int64(1), []any{int64(2)}}, "kwargs": m{"k": "v"}},
		},
		{"test.arg_clean", []any{kw("k", "v", "__x", 1)}, m{"args": []any{}, "kwargs": m{"k": "v"}}},
		{"test.arg_repr", []any{int64(1), kw("k", "v")}, m{"args": "(1,)", "kwargs": "{'k': 'v'}"}},
		{
			"test.arg_type",
			[]any{int64(1), "a", 1.5, nil, true, kw("k", []any{})},
			m{
				"args":   []any{"<class 'int'>", "<class 'str'>", "<class 'float'>", "<class 'NoneType'>", "<class 'bool'>"},
				"kwargs": m{"k": "<class 'list'>"},
			},
		},
		{"test.kwarg", []any{kw("num", int64(1))}, m{"num": int64(1)}},
		{"test.exception", []any{"boom"}, "The minion function caused an exception: Exception: boom"},
		{"test.raise_exception", []any{"TypeError", "te"}, "Passed invalid arguments to test.raise_exception: te"},
		{"test.raise_exception", []any{"salt.exceptions.CommandExecutionError", "cee"}, "ERROR: cee"},
		{"test.raise_exception", []any{"ValueError", "a", "b"}, "The minion function caused an exception: ValueError: a, b"},
		{"test.raise_exception", []any{"SaltInvocationError", "x"}, false},
		{"test.assertion", []any{false}, "The minion function caused an exception: AssertionError"},
		{"test.assertion", []any{int64(1)}, nil},
		{"test.try", []any{"test.echo", kw("text", "x")}, "x"},
		{"test.try", []any{"test.exception"}, nil},
		{"test.try", []any{"test.exception", kw("return_try_exception", true, "message", "m")}, "Exception: m"},
		{"test.try", []any{"no.such", true}, "KeyError: 'no.such'"},
		{"test.cross_test", []any{"test.echo", []any{"deep"}}, "deep"},
		{"test.conf_test", nil, "unconfigured"},
		{"test.version", nil, versions.Salt},
		{"test.sleep", []any{"abc"}, "Passed invalid arguments to test.sleep: length must be a number, not 'abc'"},
		{"test.sleep", []any{int64(-1)}, "The minion function caused an exception: ValueError: sleep length must be non-negative"},
		{"test.sleep", []any{int64(0)}, true},
		{"test.fib", []any{int64(-1)}, "The minion function caused an exception: ValueError: Negative number is not allowed!"},
		{"test.collatz", []any{int64(0)}, "Passed invalid arguments to test.collatz: start must be above 0, not 0"},
	})
	if r := run(t, env, "test.retcode", int64(7)); r.Value != true || r.Retcode != 7 || r.Success {
		t.Errorf("test.retcode = %+v", r)
	}
	if r := run(t, env, "test.retcode"); r.Retcode != 42 {
		t.Errorf("retcode = %d, want 42", r.Retcode)
	}
	if s := result(t, env, "test.stack").(string); !strings.Contains(s, "modules") {
		t.Errorf("stack = %q", s)
	}
}

func TestTest_Numbers(t *testing.T) {
	for n, want := range map[int64]any{
		0: int64(0), 1: int64(1), 10: int64(55), 92: int64(7540113804746346429), 93: uint64(12200160415121876738),
		100: "354224848179261915075",
	} {
		got := result(t, newEnv(), "test.fib", n).([]any)
		if took, ok := got[1].(float64); got[0] != want || !ok || took < 0 {
			t.Errorf("fib %d = %v, want %v", n, got, want)
		}
	}
	got := result(t, newEnv(), "test.collatz", "6").([]any)
	same(t, "collatz", got[0], any([]any{int64(6), int64(3), int64(10), int64(5), int64(16), int64(8), int64(4), int64(2)}))
}

func TestTest_Sleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		if got := result(t, newEnv(), "test.sleep", 1.5); got != true {
			t.Errorf("sleep = %v", got)
		}
		if took := time.Since(begin); took != 1500*time.Millisecond {
			t.Errorf("slept %v", took)
		}
		begin = time.Now()
		result(t, newEnv(), "test.rand_sleep", int64(3))
		if took := time.Since(begin); took > 3*time.Second || took%time.Second != 0 {
			t.Errorf("rand_sleep took %v", took)
		}
	})
}

func TestTest_Versions(t *testing.T) {
	env := newEnv()
	info := result(t, env, "test.versions_information").(m)
	if info["Salt Version"].(m)["Salt"] != versions.Salt {
		t.Errorf("versions = %v", info)
	}
	report := result(t, env, "test.versions_report").(string)
	for _, part := range []string{"Salt Version:\n", "  Salt: " + versions.Salt, "Dependency Versions:\n", "System Versions:\n"} {
		if !strings.Contains(report, part) {
			t.Errorf("report lacks %q:\n%s", part, report)
		}
	}
	same(t, "alias", result(t, env, "test.versions"), any(report))
}

func TestTest_RandomHash(t *testing.T) {
	for kind, length := range map[string]int{"md5": 32, "sha1": 40, "sha256": 64, "sha512": 128} {
		if got := result(t, newEnv(), "test.random_hash", kw("hash_type", kind)).(string); len(got) != length {
			t.Errorf("%s hash %q has %d digits, want %d", kind, got, len(got), length)
		}
	}
	// There is one number of size 1: the result is the SHA-256 of "1".
	if got := result(t, newEnv(), "test.rand_str", int64(1)); got != "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b" {
		t.Errorf("hash = %v", got)
	}
	if r := run(t, newEnv(), "test.random_hash", kw("hash_type", "crc")); r.Success {
		t.Errorf("unknown hash gave %v", r.Value)
	}
}
