package daemon

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

// roleEnv makes the test binary run as a helper process.
const roleEnv = "DAEMON_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleEnv); role != "" {
		os.Exit(play(role))
	}
	goleak.VerifyTestMain(m)
}

// play runs as the program in the background, or as the holder of a pid file.
func play(role string) int {
	switch role {
	case "holder": // until it is killed
		c := make(chan os.Signal, 1)
		signal.Notify(c, syscall.SIGTERM)
		p, err := WritePidFile(os.Getenv("DAEMON_TEST_PIDFILE"))
		if err != nil {
			fmt.Println(err)
			return 1
		}
		fmt.Println("ok")
		<-c
		if err := p.Remove(); err != nil {
			return 1
		}
		return 0
	}
	if !InBackground() {
		if err := Background(); err != nil {
			fmt.Println("failed:", err)
			return 3
		}
		fmt.Println("started")
		return 0
	}
	switch role {
	case "good":
		Started(nil)
		Started(errors.New("a second word is not heard"))
		if InBackground() {
			return 1
		}
		if err := os.WriteFile(os.Getenv("DAEMON_TEST_MARK"), []byte("alive"), 0o600); err != nil {
			return 1
		}
	case "bad":
		Started(errors.New("the ports\nare taken"))
		return 4
	case "mute":
		return 5
	}
	return 0
}
