package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"github.com/momtree/mom/internal/localcluster"
	"github.com/momtree/mom/internal/timing"
	"github.com/momtree/mom/lab/swarm"
)

// world is a master with minions and the API beside it.
type world struct {
	Options
	cluster *localcluster.Cluster
	master  *process
	swarm   *swarm.Swarm
	end     context.CancelFunc // of the swarm
	ended   chan error
	api     *process
	url     string
	token   string
}

const conf = `
external_auth:
  sharedsecret:
    load: ['.*', '@runner', '@wheel']
sharedsecret: load
rest_cherrypy: {port: %d, host: 127.0.0.1, disable_ssl: True}
netapi_enable_clients: [local, local_async, runner]
keep_jobs_seconds: 600
`

func (w *world) say(format string, args ...any) { _, _ = fmt.Fprintf(w.Say, format, args...) } // a word for whoever looks on

// ids are the minions.
func (w *world) ids() swarm.IDs { return swarm.IDs{Pattern: "m%04d", Count: w.Minions} }

// grow starts all of it.
func (w *world) grow(ctx context.Context) error {
	port, err := localcluster.FreePort()
	if err != nil {
		return err
	}
	w.url = fmt.Sprintf("http://127.0.0.1:%d", port)
	if w.cluster, err = localcluster.Plant(filepath.Join(w.Dir, "tree"), localcluster.Spec{ID: "top", Master: fmt.Sprintf(conf, port)}); err != nil {
		return err
	}
	top := w.cluster.Top()
	keys := &swarm.Keys{Dir: filepath.Join(w.Dir, "keys"), Count: 1}
	if err := keys.Make(ctx, w.ids(), nil); err != nil {
		return err
	}
	if _, err := swarm.Seed(filepath.Join(top.Dir, "etc/salt/pki/master"), w.ids(), keys); err != nil {
		return err
	}
	if w.master, err = w.start("master"); err != nil {
		return err
	}
	if err := w.startAPI(ctx); err != nil {
		return err
	}
	log := slog.New(slog.DiscardHandler)
	w.swarm, err = swarm.New(swarm.Config{Host: "127.0.0.1", Port: top.RetPort, IDs: w.ids(), Keys: keys, Source: swarm.Loopback, MomShare: 1, Log: log})
	if err != nil {
		return err
	}
	var alive context.Context
	alive, w.end = context.WithCancel(context.WithoutCancel(ctx))
	w.ended = make(chan error, 1)
	go func() { w.ended <- w.swarm.Run(alive) }()
	return w.await(ctx, "all minions answer", func() (bool, error) {
		ids, err := w.ping(ctx, http.DefaultClient, "*")
		return len(ids) == w.Minions, err
	})
}

// startAPI starts the process and logs in.
func (w *world) startAPI(ctx context.Context) (err error) {
	if w.api, err = w.start("api", "--pid-file", filepath.Join(w.Dir, "api.pid")); err != nil {
		return err
	}
	return w.await(ctx, "the API lets somebody in", func() (bool, error) {
		var m struct{ Return []struct{ Token string } }
		err := w.do(ctx, http.DefaultClient, "POST", "/login", `{"username":"load","password":"load","eauth":"sharedsecret"}`, &m)
		if err != nil || len(m.Return) != 1 {
			return false, err
		}
		w.token = m.Return[0].Token
		return true, nil
	})
}

// patience is how long anything may take until it is as wanted.
const patience = 2 * time.Minute

// await asks until the answer is yes.
func (w *world) await(ctx context.Context, what string, ask func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		ok, err := ask()
		if ok {
			return nil
		}
		if e := timing.Sleep(ctx, 50*time.Millisecond); e != nil {
			return errors.Join(fmt.Errorf("%s: not after %v; logs are in %s", what, patience, w.Dir), err)
		}
	}
}

// errBusy is the answer of a server that takes no more, or whose master is too busy.
var errBusy = errors.New("503")

// do sends a request and reads the answer, into the value if it is not nil.
func (w *world) do(ctx context.Context, c *http.Client, method, path, body string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, w.url+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Auth-Token", w.token)
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 300)) // what is said of the error
		_, _ = io.Copy(io.Discard, resp.Body)
		if resp.StatusCode == http.StatusServiceUnavailable {
			return errBusy
		}
		return fmt.Errorf("%s %s: %d %s", method, path, resp.StatusCode, text)
	}
	if into == nil {
		_, err = io.Copy(io.Discard, resp.Body)
		return err
	}
	return json.NewDecoder(resp.Body).Decode(into)
}

// ping runs a job on minions and gives who answered.
func (w *world) ping(ctx context.Context, c *http.Client, tgt string) (map[string]any, error) {
	var m struct{ Return []map[string]any }
	err := w.do(ctx, c, "POST", "/", `{"client":"local","tgt":"`+tgt+`","fun":"test.ping"}`, &m)
	if err != nil || len(m.Return) != 1 {
		return nil, err
	}
	return m.Return[0], nil
}

// stop ends everything.
func (w *world) stop() error {
	var errs []error
	http.DefaultClient.CloseIdleConnections()
	errs = append(errs, w.api.stop())
	if w.end != nil {
		w.end()
		errs = append(errs, <-w.ended)
	}
	errs = append(errs, w.master.stop())
	return errors.Join(errs...)
}
