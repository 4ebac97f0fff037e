package matrix

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/lab/peers"
)

// APIs are what is asked of the REST API of another kind beside the top.
func APIs() []Check {
	return []Check{
		{"login", "a token by `external_auth` of the master", nil, func(ctx context.Context, b *beside) error { return b.login(ctx) }},
		{"local", "`test.ping` of all", nil, func(ctx context.Context, b *beside) error {
			return b.low(ctx, all(b.world, true), "client", "local", "fun", "test.ping", "tgt_type", "list", "tgt", b.target())
		}},
		{"local_async, /jobs", "a jid, and the results by `GET /jobs/JID`", nil, func(ctx context.Context, b *beside) error {
			v, err := b.ask(ctx, "client", "local_async", "fun", "test.echo", "arg", "later", "tgt_type", "list", "tgt", b.target())
			m, _ := v.(map[string]any)
			jid, _ := m["jid"].(string)
			if err != nil || jid == "" {
				return errors.Join(fmt.Errorf("no jid in %v", v), err)
			}
			return b.settled(ctx, func() error {
				v, err := b.call(ctx, "GET", "/jobs/"+jid, nil)
				if err != nil {
					return err
				}
				return said(like(v, all(b.world, "later")))
			})
		}},
		{"runner", "`manage.up`, all minions", nil, func(ctx context.Context, b *beside) error {
			v, err := b.ask(ctx, "client", "runner", "fun", "manage.up")
			return errors.Join(err, b.names(v))
		}},
		{"wheel", "`key.list_all`, all keys", nil, func(ctx context.Context, b *beside) error {
			v, err := b.ask(ctx, "client", "wheel", "fun", "key.list_all")
			return errors.Join(err, b.names(v))
		}},
		{"/minions", "grains of all", nil, func(ctx context.Context, b *beside) error {
			v, err := b.call(ctx, "GET", "/minions", nil)
			return errors.Join(err, b.names(v))
		}},
		{"/events", "the returns of a job, as they come", nil, func(ctx context.Context, b *beside) error { return b.events(ctx) }},
	}
}

// names holds that all minions are named in an answer.
func (b *beside) names(v any) error {
	for _, id := range b.all() {
		if !strings.Contains(fmt.Sprint(v), id) {
			return fmt.Errorf("no %s in %s", id, short(fmt.Sprint(v)))
		}
	}
	return nil
}

func said(s string) error {
	if s == "" {
		return nil
	}
	return errors.New(s)
}

// serve starts the API and waits until it answers; end stops it.
func (b *beside) serve(ctx context.Context) (end func(), err error) {
	name := "api"
	if b.salt != nil {
		name = "salt-api"
	}
	p, err := peers.Launch(name, filepath.Join(b.dir, "top", "log", name+".console"), b.top.Argv(b.salt, name)...)
	if err != nil {
		return nil, err
	}
	end = func() { _ = p.Stop(5 * time.Second) } // Salt's may well need the SIGKILL
	for until := time.Now().Add(time.Minute); ; {
		if _, _, err = b.http(ctx, "GET", "/", nil); err == nil {
			return end, nil
		}
		if e := timing.Sleep(ctx, 100*time.Millisecond); e != nil || time.Now().After(until) {
			end()
			return nil, fmt.Errorf("the API does not answer: %w", err)
		}
	}
}

func (b *beside) login(ctx context.Context) error {
	v, err := b.call(ctx, "POST", "/login", url.Values{"username": {"ann"}, "password": {"x"}, "eauth": {"auto"}})
	if err != nil {
		return err
	}
	m, _ := v.(map[string]any)
	if b.token, _ = m["token"].(string); b.token == "" {
		return fmt.Errorf("no token in %v", v)
	}
	return nil
}

// ask gives low data of one chunk, as words of a form, and takes its return.
func (b *beside) ask(ctx context.Context, words ...string) (any, error) {
	form := url.Values{}
	for i := 0; i < len(words); i += 2 {
		form.Set(words[i], words[i+1])
	}
	return b.call(ctx, "POST", "/", form)
}

func (b *beside) low(ctx context.Context, want map[string]any, words ...string) error {
	v, err := b.ask(ctx, words...)
	if err != nil {
		return err
	}
	return said(like(v, want))
}

// call makes a request and takes the first of what is returned.
func (b *beside) call(ctx context.Context, method, path string, form url.Values) (any, error) {
	code, body, err := b.http(ctx, method, path, form)
	if err != nil {
		return nil, err
	}
	var v struct{ Return []any }
	if code != http.StatusOK || json.Unmarshal(body, &v) != nil || len(v.Return) == 0 {
		return nil, fmt.Errorf("%s %s: %d %s", method, path, code, short(string(body)))
	}
	return v.Return[0], nil
}

func (b *beside) request(ctx context.Context, method, path string, form url.Values) (*http.Request, error) {
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://"+b.api+":8000"+path, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if b.token != "" {
		r.Header.Set("X-Auth-Token", b.token)
	}
	return r, nil
}

func (b *beside) http(ctx context.Context, method, path string, form url.Values) (int, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r, err := b.request(ctx, method, path, form)
	if err != nil {
		return 0, nil, err
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	return a.StatusCode, body, err
}

// events listens to /events while a job runs.
func (b *beside) events(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r, err := b.request(ctx, "GET", "/events", nil)
	if err != nil {
		return err
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusOK {
		return fmt.Errorf("GET /events: %d", a.StatusCode)
	}
	jid, err := b.async(ctx, nil, "-L", b.target(), "test.sleep", "1")
	if err != nil {
		return err
	}
	missing := all(b.world, nil)
	lines := bufio.NewScanner(a.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		for id := range missing {
			if strings.Contains(lines.Text(), "salt/job/"+jid+"/ret/"+id) {
				delete(missing, id)
			}
		}
		if len(missing) == 0 {
			return nil
		}
	}
	return fmt.Errorf("no return of %v was told: %w", missing, errors.Join(lines.Err(), ctx.Err()))
}
