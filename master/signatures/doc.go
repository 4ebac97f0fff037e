// Package signatures signs jobs and checks the signatures of returns: with sign_jobs the
// top signs what each job does, and nodes pass that on as it is; minions sign their returns
// with minion_sign_messages, and a master may want that of all.
package signatures
