package pyre

// op is the operation of a node.
type op uint8

const (
	opSet     op = iota // matches one character of set
	opAt                // matches at a position, without a character
	opBranch            // one of subs
	opGroup             // subs[0], captured as group, or not if that is 0
	opRepeat            // subs[0], min to max times
	opBackref           // the text of group
	opLook              // subs[0] matches from here, or back characters before
	opAtomic            // subs[0], without backtracking into it
	opCond              // subs[0] if group has matched, else subs[1] or nothing
	opFail              // matches nothing
)

// infinite is a repetition without an upper bound.
const infinite = 1<<32 - 1

// greed says which number of repetitions is tried first.
type greed uint8

const (
	greedy     greed = iota // many; fewer if the rest fails
	lazy                    // few
	possessive              // many, and never fewer
)

// at is a position.
type at uint8

const (
	atStart     at = iota // ^ and \A
	atLineStart           // ^ with m
	atEnd                 // \Z
	atLast                // $: the end, or before the last newline
	atLineEnd             // $ with m
	atBoundary            // \b
	atInside              // \B
)

type node struct {
	op       op
	set      *class
	at       at
	ascii    bool // of atBoundary and atInside: words are ASCII
	fold     bool // of opBackref: ignore case; ascii: only of ASCII letters
	not      bool // of opLook
	behind   bool
	back     int
	subs     [][]*node
	min, max int
	greed    greed
	group    int
}
