package sim

// mark names a rare situation that a schedule may reach.
type mark string

const (
	markSick          mark = "disk that rejects writes"
	markSavedNotSent  mark = "crash between the commit of a job and its publication"
	markCommitFull    mark = "more returns than fit into one commit"
	markGivenTwice    mark = "job published again under the same jid"
	markUnended       mark = "end of a job that could not be stored"
	markCrowd         mark = "reports refused because the write queue is full"
	markJobFull       mark = "publication refused because the outbox is full"
	markLate          mark = "reports that arrived after newer ones"
	markEarlyReturn   mark = "return that arrived before its expectation"
	markDeclined      mark = "job that a node gave up"
	markNamesake      mark = "node with the id of a minion of the node above"
	markRepeated      mark = "request that was repeated"
	markRepeatWaits   mark = "request that was repeated before it was answered"
	markGivenAgain    mark = "publication sent again"
	markMovedAtWork   mark = "minion that moved during a job"
	markTwoAsk        mark = "job requested by a second parent"
	markBackfilled    mark = "returns queued for a parent that requested the job later"
	markReportLost    mark = "report dropped because the queue for a parent is full"
	markOdd           mark = "return that no master can store"
	markRefusedRow    mark = "return that a parent refuses by a verdict"
	markBadLoad       mark = "request with returns that is refused as a whole"
	markSetAside      mark = "return that was set aside"
	markForged        mark = "return forged for another minion"
	markTurncoat      mark = "minion that speaks as a node"
	markUsurped       mark = "node that speaks for minions of others"
	markReplayed      mark = "return repeated with another result"
	markReplayedDown  mark = "publication repeated to a node"
	markFlood         mark = "flood of copies of a return"
	markInvented      mark = "return to a job that was never published"
	markQueued        mark = "queued job delivered to a peer that is back"
	markClockAhead    mark = "clean-up by a clock that is a day ahead"
	markReturnFull    mark = "return refused because the outbox is full"
	markUnsigned      mark = "return without a required signature"
	markWronglySigned mark = "return with a signature that does not verify"
	markBarred        mark = "node refused because its key has the role of a minion"
	markQueuedLong    mark = "queued job offered for longer than other jobs"
	markGrown         mark = "job published to more minions"
	markGrownAtItsEnd mark = "job extended while its end is being stored"

	markBatch          mark = "batch that a master drives"
	markBatchRestart   mark = "batch resumed after a restart"
	markTakenOver      mark = "job that a top publishes for another one"
	markTopsApart      mark = "message that is lost because tops are cut from each other"
	markBatchStopped   mark = "batch that an operator stops"
	markBatchRefused   mark = "batch slice that cannot be published now"
	markBatchUnstarted mark = "batch whose master died before writing its state"
)

// reach counts a mark.
func (w *World) reach(m mark) {
	if w.marks == nil {
		w.marks = map[mark]int{}
	}
	w.marks[m]++
}
