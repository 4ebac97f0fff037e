package bus

import (
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/momtree/mom/internal/logthrottle"
)

// Auto chooses the framing of each reader by the Salt that it runs, Bare where that is
// not known. Readers never say anything, so there is nothing else to go by.
const Auto Framing = "auto"

// reads gives the framing that readers of a Salt of this version understand: Length
// since 3006.27, within 3006; Bare in all others (Salt wire reference §11.2).
func reads(version string) Framing {
	if release, n := parts(version); release == 3006 && n >= 27 {
		return Length
	}
	return Bare
}

// takes gives the framing in which a master of this version takes events: as it reads
// them, and Length since 3008.
func takes(version string) Framing {
	if release, _ := parts(version); release >= 3008 {
		return Length
	}
	return reads(version)
}

// parts reads "3006.27", behind which more may stand; 0 for what is no number.
func parts(version string) (release, number int) {
	first, rest, _ := strings.Cut(version, ".")
	if end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
		rest = rest[:end]
	}
	release, err := strconv.Atoi(first)
	if err != nil {
		return 0, 0
	}
	number, _ = strconv.Atoi(rest) // 0 where there is none
	return release, number
}

// framingFor chooses how events are cut apart for one reader. One that would not
// understand what the configuration says is told of: it waits for ever, and nothing
// else shows why.
func (s *Server) framingFor(c net.Conn) Framing {
	salt := peerSalt(c)
	if s.cfg.Framing == Auto {
		if salt == "" {
			return Bare
		}
		return reads(salt)
	}
	if salt != "" && reads(salt) != s.cfg.Framing {
		if n := s.misframed.Note(salt, time.Now()); n > 0 {
			s.cfg.Log.Warn("a program of Salt's reads the event bus in another form than it is written: it will see no event and wait for ever",
				"salt", salt, "ipc_framing", string(s.cfg.Framing), "needs", string(reads(salt)), "hint", "set ipc_framing: auto", "count", n)
		}
	}
	return s.cfg.Framing
}

// misframed keeps that warning from filling the log.
type misframed = logthrottle.Filter[string]
