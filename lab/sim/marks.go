package sim

// mark is a rare place that a schedule may reach.
type mark string

const (
	markSick          mark = "a disk that took nothing"
	markSavedNotSent  mark = "death between the commit of a job and its publication"
	markCommitFull    mark = "more returns than one commit takes"
	markGivenTwice    mark = "job given that was given before"
	markUnended       mark = "end of a job that could not be stored"
	markCrowd         mark = "words refused since too many wait for the disk"
	markJobFull       mark = "publication refused since the outbox is full"
	markLate          mark = "words that came after later ones"
	markEarlyReturn   mark = "return that came before its expectation"
	markDeclined      mark = "job that a node gave up"
	markNamesake      mark = "node with the id of a minion of the node above"
	markRepeated      mark = "request whose bytes came again"
	markRepeatWaits   mark = "request whose bytes came again before it was answered"
	markGivenAgain    mark = "publication given again"
	markMovedAtWork   mark = "minion that moved in the middle of a job"
	markTwoAsk        mark = "job that a second parent asked for"
	markOwedLater     mark = "returns owed to a parent that asked later"
	markWordLost      mark = "word let go since too many wait for a parent"
	markOdd           mark = "return of a minion that no master can take"
	markRefusedRow    mark = "return that a master above refuses by name"
	markBadLoad       mark = "request with returns that is refused whole"
	markSetAside      mark = "return that was set aside"
	markForged        mark = "return in the name of another minion"
	markTurncoat      mark = "minion that speaks as a node"
	markUsurped       mark = "node that speaks for minions of others"
	markReplayed      mark = "return that came again with another result"
	markReplayedDown  mark = "publication that came to a node again"
	markFlood         mark = "return that came many times at once"
	markInvented      mark = "return of a job that nobody has published"
	markQueued        mark = "queued job that is given to who is back"
	markClockAhead    mark = "clean-up by a clock that is a day ahead"
	markReturnFull    mark = "return refused since the outbox is full"
	markUnsigned      mark = "return without a signature, where one is wanted"
	markWronglySigned mark = "return with a signature that does not verify"
	markBarred        mark = "node that is refused since its key is a minion's"
	markQueuedLong    mark = "queued job that is offered beyond the patience for others"
	markGrown         mark = "job that was published to further minions"
	markGrownAtItsEnd mark = "job that was to grow while its end was being stored"

	markBatch          mark = "batch that a master drives"
	markBatchRestart   mark = "batch that goes on after a restart"
	markBatchStopped   mark = "batch that an operator stops"
	markBatchRefused   mark = "slice of a batch that cannot be published now"
	markBatchUnstarted mark = "batch whose master died before it had written it"
)

// reach notes that a place was reached.
func (w *World) reach(m mark) {
	if w.marks == nil {
		w.marks = map[mark]int{}
	}
	w.marks[m]++
}
