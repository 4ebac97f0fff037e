package demo

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/momtree/mom/mom/momtest"
)

// TestDemo runs the whole demo: its output must be complete, and nothing may stay
// behind.
func TestDemo(t *testing.T) {
	var out, errOut bytes.Buffer
	cmd := momtest.Process(t, "mom", "demo")
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out.String(), errOut.String())
	}
	text := out.String()
	for _, want := range []string{
		"All 10 processes are up",
		"6 expected, 6 returned, 0 failed, 0 missing",
		"0 expected, 0 returned, 0 failed, 0 missing",
		"did not return [Not connected], behind top → syndic-a → syndic-c",
		"6 expected, 5 returned, 0 failed, 1 missing",
		"db-02 DOWN",
		"jobs.lookup_jid",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in what the demo shows:\n%s", want, text)
		}
	}
	if n := len(regexp.MustCompile(`(?m)ms  \S+ +True$`).FindAllString(text, -1)); n != 6+5 {
		t.Errorf("%d answers to test.ping are shown, want 11:\n%s", n, text)
	}
	dir := regexp.MustCompile(`minions in (\S+)`).FindStringSubmatch(text)
	if dir == nil {
		t.Fatalf("the folder is not named:\n%s", text)
	}
	if _, err := os.Stat(dir[1]); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the demo leaves %s behind (%v)", dir[1], err)
	}
}

// TestDemo_Page opens the served page like a browser, with the printed user and password, up to a job
// over three tiers. An interrupt removes everything.
func TestDemo_Page(t *testing.T) {
	cmd := momtest.Process(t, "mom", "demo", "--page", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewScanner(out)
	var text strings.Builder
	until := func(what string) []string {
		t.Helper()
		for re := regexp.MustCompile(what); said.Scan(); {
			text.WriteString(said.Text() + "\n")
			if m := re.FindStringSubmatch(said.Text()); m != nil {
				return m
			}
		}
		t.Fatalf("it ended without saying %s:\n%s\n%s", what, text.String(), errOut.String())
		return nil
	}
	dir := until(`minions in (\S+)`)[1]
	url := until(`page of the tree: (http://\S+)/app$`)[1]
	who := until(`user (\w+), password (\w+), login by (\w+)`)
	post := func(path, token string, body any) (v map[string]any) {
		t.Helper()
		b, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+path, bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Auth-Token", token)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s", path, answer.Status)
		}
		if err := json.NewDecoder(answer.Body).Decode(&v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	login := post("/login", "", map[string]string{"username": who[1], "password": who[2], "eauth": who[3]})
	token := login["return"].([]any)[0].(map[string]any)["token"].(string)
	ran := post("/", token, []any{map[string]any{"client": "local", "tgt": "B@syndic-a and not db-02", "tgt_type": "compound", "fun": "test.ping"}})
	if got, want := ran["return"], []any{map[string]any{"web-01": true, "web-02": true, "db-01": true}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
	http.DefaultClient.CloseIdleConnections()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for said.Scan() {
		text.WriteString(said.Text() + "\n")
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s\n%s", err, text.String(), errOut.String())
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the demo leaves %s behind (%v)", dir, err)
	}
}

// TestDemo_PageAddress checks that addresses that would send passwords in the clear are refused.
func TestDemo_PageAddress(t *testing.T) {
	for addr, want := range map[string]string{
		"here":            "an address and a port are wanted",
		"0.0.0.0:8000":    "addresses of this machine alone",
		"127.0.0.1:99999": "an address and a port are wanted",
	} {
		if got := momtest.Run(Command(), "", "--page", addr); got.Code == 0 || !strings.Contains(got.Err, want) {
			t.Errorf("%s: %v", addr, got)
		}
	}
}

// TestDemo_BadTree checks the error for a wrong drawing.
func TestDemo_BadTree(t *testing.T) {
	got := momtest.Run(Command(), "", "--tree", "a: m\nb: n")
	if got.Code == 0 || !strings.Contains(got.Err, "line 2: b stands beside the top") {
		t.Error(got)
	}
}
