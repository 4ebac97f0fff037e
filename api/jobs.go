package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/momtree/mom/client"
	"github.com/momtree/mom/internal/jid"
	"github.com/momtree/mom/value"
)

// maxWait bounds a long poll.
const maxWait = 600 * time.Second

// maxUnreadable is after how many events of a job in a row that cannot be read it is given
// up.
const maxUnreadable = 16

// seconds reads a parameter of the query that is a time; 0 if it is absent.
func seconds(r *http.Request, name string, most time.Duration) (time.Duration, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return 0, nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f >= 0) || f > most.Seconds() {
		return 0, refuse(http.StatusBadRequest, name+" has to be a number of seconds, at most "+strconv.Itoa(int(most.Seconds())))
	}
	return time.Duration(f * float64(time.Second)), nil
}

// ask calls a runner for a route.
func (s *Server) ask(c *call, fun string, args ...any) (any, error) {
	return s.askFor(c, client.RunnerCall{Fun: fun, Args: args})
}

// jobs lists the jobs that are kept.
func (s *Server) jobs(c *call) error {
	v, err := s.ask(c, "jobs.list_jobs")
	if err != nil {
		return err
	}
	s.answer(c.w, c.r, http.StatusOK, value.NewMap("return", []any{v}))
	return nil
}

// job shows a job. With ?wait= it waits until the job is complete, or for so long.
func (s *Server) job(c *call) error {
	wait, err := seconds(c.r, "wait", maxWait)
	if err != nil {
		return err
	}
	id := c.r.PathValue("jid")
	var complete any
	if c.r.URL.Query().Has("wait") {
		if complete, err = s.await(c, id, wait); err != nil {
			return err
		}
	}
	v, err := s.ask(c, "jobs.list_job", id)
	if err != nil {
		return err
	}
	m := value.NewMap()
	if s.d.info {
		results := value.NewMap()
		if info, ok := v.(*value.Map); ok {
			info.Map("Result").Range(func(k, r any) bool {
				if r, ok := r.(*value.Map); ok {
					ret, _ := r.Get("return")
					results.Set(k, ret)
				}
				return true
			})
		}
		m.Set("info", []any{v})
		m.Set("return", []any{results})
	} else {
		m.Set("return", []any{v})
	}
	if complete != nil {
		m.Set("complete", complete)
	}
	s.answer(c.w, c.r, http.StatusOK, m)
	return nil
}

// await waits for the end of a job: true once it is complete.
func (s *Server) await(c *call, id string, wait time.Duration) (bool, error) {
	if !jid.Valid(id) {
		return false, refuse(http.StatusBadRequest, "this is no job id: there is nothing to wait for")
	}
	ctx, cancel := context.WithTimeout(c.ctx, wait)
	defer cancel()
	stop := context.AfterFunc(s.ending, cancel)
	defer stop()
	open, shut := context.WithTimeout(c.ctx, s.o.RunnerTime)
	defer shut()
	f, err := s.session(c.token).Follow(open, id)
	if err != nil {
		return false, err
	}
	defer f.Close()
	for failed := 0; ; {
		u, err := f.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return false, c.ctx.Err() // nil unless whoever asked is gone
		case errors.Is(err, client.ErrBusLost) || errors.Is(err, client.ErrClosed):
			return false, err
		case err != nil:
			if failed++; failed == maxUnreadable {
				return false, err
			}
		case u.Complete != nil:
			return true, nil
		default:
			failed = 0
		}
	}
}
