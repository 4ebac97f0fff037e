// Package master is the master daemon: it publishes jobs on one port and takes
// everything else on the other, as Salt's master does.
//
// The way of a request is short: [zmtp.Router] hands it to receive, which reads
// the envelope and sends it down one of three lanes: sign-ins (bounded CPU, in
// order), clear commands of local users, and encrypted commands of minions and
// syndics, each of which is one handler in a table. The way of a job: publish
// authorises and matches, opens the job in the ledger, stores it, tells the
// event bus and publishes; returns come back through the job store (committed
// before they are acknowledged) to the bus and the ledger, which closes the job.
//
// Sub-packages stand alone: keys (who may talk), presence (who is connected),
// ledger (who has to answer), jobstore (what is kept), runners (questions).
package master
