package page

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"go.uber.org/goleak"

	"github.com/momtree/mom/mom/momtest"
)

// patience bounds each wait for the page or the tree.
const patience = 90 * time.Second

var (
	browser context.Context // of the one browser of all tests
	program string          // the built program
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "page")
	if err == nil {
		defer os.RemoveAll(dir)
		program, err = momtest.Build(dir, "mom")
	}
	var stop func() error
	if err == nil {
		stop, err = startBrowser(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	err = errors.Join(stopShared(), stop())
	if err == nil && code == 0 {
		err = goleak.Find()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return max(code, 1)
	}
	return code
}

// startBrowser starts the Chromium that the system has.
func startBrowser(dir string) (stop func() error, err error) {
	exe := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if exe, err = exec.LookPath(name); err == nil {
			break
		}
	}
	if err != nil {
		return nil, errors.New("the tests of the page need Chromium: install the package chromium, or run `make deps`")
	}
	o := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(exe), chromedp.UserDataDir(dir+"/browser"), chromedp.Flag("disable-gpu", true))
	if os.Geteuid() == 0 { // whom its sandbox does not take
		o = append(o, chromedp.NoSandbox)
	}
	alloc, end := chromedp.NewExecAllocator(context.Background(), o...)
	ctx, cancel := chromedp.NewContext(alloc)
	stop = func() error {
		limit, done := context.WithTimeout(ctx, patience)
		defer done()
		err := chromedp.Cancel(limit)
		cancel()
		end()
		return err
	}
	if err := chromedp.Do(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", exe, err), stop())
	}
	browser = ctx
	return stop, nil
}
