// Package retention keeps what a master has published for as long as somebody
// may still have to be given it.
//
// A publication is written before the job is stored, so that no crash between
// the two, or between the store and the wire, loses it. It is numbered when it
// goes out; a peer that tells the last number it heard is given what came after.
// It is dropped when its job is over, when it is older than the retention, or,
// if it was queued for minions that were away, when the last of them has
// answered or the deadline has passed.
//
// Who gets what is not decided here but by the account of the job.
package retention
